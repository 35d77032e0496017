// Removes a file from this node's page cache, so that reads come from the storage, and reports what remained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stressbench::io {

struct Dropped {
  std::int64_t pages_before = 0;  // in memory, after dirty pages were written to the storage
  std::int64_t pages_left = 0;    // all pages on file systems in memory (tmpfs)
  std::int64_t page_bytes = 0;
};

// None if the kernel does not report pages, which it does only to users who own the file or may write to it. Throws
// MachineFault.
std::optional<Dropped> drop_cache(const std::string& path);

}  // namespace stressbench::io
