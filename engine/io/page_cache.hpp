// Takes a file out of this node's page cache, so that a read comes from the storage, and says what stayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stressbench::io {

struct Dropped {
  std::int64_t pages_before = 0;  // in memory after what was dirty went to the storage
  std::int64_t pages_left = 0;    // all of them on file systems that live there (tmpfs)
  std::int64_t page_bytes = 0;
};

// None where the kernel does not tell, which it does to those who own the file or may write it. Throws MachineFault.
std::optional<Dropped> drop_cache(const std::string& path);

}  // namespace stressbench::io
