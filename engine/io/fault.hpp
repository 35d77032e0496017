// Messages of failed file operations: the call, the path, the progress, the system's message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stressbench::io {

std::string error_text(int error);  // message of an errno

// "open '/scratch/out': No space left on device"
[[noreturn]] void throw_io_fault(std::string_view call, const std::string& path, int error);

// An incomplete transfer.
struct Partial {
  std::string_view call;
  std::string_view verb;  // "wrote" or "read"
  std::size_t done = 0;
  std::size_t length = 0;
  std::int64_t offset = 0;
};
// "pwrite '/scratch/out': wrote 512 of 1024 bytes at offset 4096: No space left on device"
[[noreturn]] void throw_io_fault(const Partial& partial, const std::string& path, std::string_view text);

}  // namespace stressbench::io
