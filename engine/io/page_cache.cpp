#include "io/page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "io/fault.hpp"

namespace stressbench::io {
namespace {

constexpr std::int64_t window_bytes = 256 << 20;  // mapped at a time; 64 KiB of results of mincore

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw_io_fault("open", path, errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(file_); }
  int number() const noexcept { return file_; }

 private:
  int file_;
};

// Number of pages in memory among `length` bytes from `offset` on, which is a multiple of the page size.
std::int64_t pages_in_memory(int file, const std::string& path, std::int64_t offset, std::size_t length,
                             std::vector<unsigned char>& pages) {
  void* const window = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file, offset);
  if (window == MAP_FAILED) throw_io_fault("mmap", path, errno);
  const int result = ::mincore(window, length, pages.data());
  const int error = errno;
  ::munmap(window, length);
  if (result != 0) throw_io_fault("mincore", path, error);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto end = pages.begin() + static_cast<std::ptrdiff_t>((length + page - 1) / page);
  return std::count_if(pages.begin(), end, [](unsigned char state) { return (state & 1U) != 0; });
}

std::int64_t pages_in_memory(int file, const std::string& path, std::int64_t file_bytes) {
  std::vector<unsigned char> pages(static_cast<std::size_t>(window_bytes / ::sysconf(_SC_PAGESIZE)));
  std::int64_t sum = 0;
  for (std::int64_t offset = 0; offset < file_bytes; offset += window_bytes) {
    const auto length = static_cast<std::size_t>(std::min(window_bytes, file_bytes - offset));
    sum += pages_in_memory(file, path, offset, length, pages);
  }
  return sum;
}

}  // namespace

std::optional<Dropped> drop_cache(const std::string& path) {
  const OpenFile file(path);
  struct stat known {};
  if (::fstat(file.number(), &known) != 0) throw_io_fault("fstat", path, errno);
  if (::fdatasync(file.number()) != 0) throw_io_fault("fdatasync", path, errno);  // dirty pages are never dropped
  // For other users, mincore reports every page as in memory.
  const bool pages_reported = known.st_uid == ::geteuid() || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
  Dropped dropped{.page_bytes = ::sysconf(_SC_PAGESIZE)};
  if (pages_reported) dropped.pages_before = pages_in_memory(file.number(), path, known.st_size);
  if (const int error = ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED))
    throw_io_fault("posix_fadvise", path, error);
  if (!pages_reported) return std::nullopt;
  dropped.pages_left = pages_in_memory(file.number(), path, known.st_size);
  return dropped;
}

}  // namespace stressbench::io
