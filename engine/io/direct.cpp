#include "io/direct.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.hpp"

namespace stressbench::io {
namespace {

// Opens a file to query: the existing one, or an unnamed temporary file in its directory.
int open_example(const std::string& path) {
  if (const int existing = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); existing >= 0) return existing;
  const auto folder = std::filesystem::path(path).parent_path();
  return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

DirectAccess access_of(int file) {
  using enum DirectAccess::Support;
  struct statfs system {};
  if (::fstatfs(file, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC)) {
    return {.support = ignored};
  }
#ifdef STATX_DIOALIGN
  struct statx known {};
  if (::statx(file, "", AT_EMPTY_PATH, STATX_DIOALIGN, &known) == 0 && (known.stx_mask & STATX_DIOALIGN) != 0) {
    if (known.stx_dio_offset_align == 0) return {.support = refused};
    return {.support = aligned, .multiple = known.stx_dio_offset_align, .memory = known.stx_dio_mem_align};
  }
#endif
  return {};
}

void require_multiple(std::int64_t bytes, const char* what, const std::string& path, std::int64_t multiple) {
  const std::int64_t lower = bytes / multiple * multiple;
  if (lower == bytes) return;
  const std::int64_t upper = lower + multiple;
  reject("direct", "{} of {} bytes: O_DIRECT requires multiples of {} bytes for '{}'; {} would fit", what, bytes,
         multiple, path, lower == 0 ? std::to_string(upper) : fmt::format("{} or {}", lower, upper));
}

}  // namespace

DirectAccess direct_access(const std::string& path) {
  const int file = open_example(path);
  if (file < 0) return {};
  const DirectAccess found = access_of(file);
  ::close(file);
  return found;
}

void require_alignment(const DirectAccess& access, const std::string& path, std::int64_t transfer_bytes,
                       std::int64_t file_bytes) {
  if (access.support == DirectAccess::Support::refused)
    reject("direct", "the file system of '{}' does not offer O_DIRECT", path);
  if (access.support != DirectAccess::Support::aligned) return;
  require_multiple(transfer_bytes, "a transfer", path, access.multiple);
  require_multiple(file_bytes, "a file", path, access.multiple);
}

}  // namespace stressbench::io
