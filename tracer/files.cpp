#include "files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace stressbench::trace {
namespace {

int close_with(int file, int error) {
  close(file);
  errno = error;
  return -1;
}

}  // namespace

int create_file(const char* path) { return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644); }

int create_or_empty_file(const char* path) {
  if (const int created = create_file(path); created >= 0 || errno != EEXIST) return created;
  const int file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    if (errno == ELOOP || errno == ENXIO) errno = EEXIST;
    return -1;
  }
  struct stat status {};
  if (fstat(file, &status) != 0) return close_with(file, errno);
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_nlink != 1) return close_with(file, EEXIST);
  if (ftruncate(file, 0) != 0) return close_with(file, errno);
  return file;
}

bool claim_output(const char* path) {
  if (const int file = create_file(path); file >= 0) return close(file), true;
  struct stat status {};
  const bool exists = errno == EEXIST && lstat(path, &status) == 0;
  return !exists || !S_ISREG(status.st_mode) || status.st_uid != geteuid();
}

int open_regular_file(const char* path) {
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status {};
  if (fstat(file, &status) != 0) return close_with(file, errno);
  return S_ISREG(status.st_mode) ? file : close_with(file, EINVAL);
}

bool is_within_size_limit(std::uint64_t bytes) {
  struct rlimit limit {};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

bool write_at(int file, std::string_view text, std::int64_t offset) {
  while (!text.empty()) {
    // Up to the limit a write is shortened; only a write that begins there raises the signal.
    if (!is_within_size_limit(static_cast<std::uint64_t>(offset) + 1)) return errno = EFBIG, false;
    const ssize_t n = pwrite(file, text.data(), text.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
    offset += n;
  }
  return true;
}

}  // namespace stressbench::trace
