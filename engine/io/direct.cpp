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
int example_of(const std::string& path) {
  if (const int there = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); there >= 0) return there;
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

void must_be_multiple(std::int64_t bytes, const char* what, const std::string& path, std::int64_t multiple) {
  const std::int64_t less = bytes / multiple * multiple;
  if (less == bytes) return;
  const std::int64_t more = less + multiple;
  reject("direct", "{} of {} bytes: O_DIRECT requires multiples of {} bytes for '{}'; {} would fit", what, bytes,
         multiple, path, less == 0 ? std::to_string(more) : fmt::format("{} or {}", less, more));
}

}  // namespace

DirectAccess direct_access(const std::string& path) {
  const int file = example_of(path);
  if (file < 0) return {};
  const DirectAccess found = access_of(file);
  ::close(file);
  return found;
}

void must_fit(const DirectAccess& access, const std::string& path, std::int64_t transfer_bytes,
              std::int64_t file_bytes) {
  if (access.support == DirectAccess::Support::refused)
    reject("direct", "the file system of '{}' does not offer O_DIRECT", path);
  if (access.support != DirectAccess::Support::aligned) return;
  must_be_multiple(transfer_bytes, "a transfer", path, access.multiple);
  must_be_multiple(file_bytes, "a file", path, access.multiple);
}

}  // namespace stressbench::io
