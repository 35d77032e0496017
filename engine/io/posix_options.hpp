// The options of the backend posix, the same for files of the system and for simulated ones.
#pragma once

#include "core/parameter.hpp"

namespace stressbench {

enum class PosixCall { pwrite, write, mmap };

namespace io {

struct PosixOptions {
  explicit PosixOptions(ParameterSet& owner)
      : call(&owner, 'n', "call", PosixCall::pwrite,
             "pwrite: pwrite and pread; write: write and read after lseek, as IOR does; mmap: copies to and from "
             "mapped memory"),
        direct(&owner, "direct", "O_DIRECT: bypass the page cache, if the file system supports it"),
        preallocate(&owner, "preallocate", "the first rank of a file allocates all of it when it is opened") {}

  Param<PosixCall> call;
  Param<bool> direct;
  Param<bool> preallocate;
};

}  // namespace io
}  // namespace stressbench
