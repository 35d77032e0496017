#include "torn_calls.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace {

stressbench::TornCalls::Tears now;

bool interrupted() {
  if (now.interrupted <= 0) return false;
  --now.interrupted;
  errno = EINTR;
  return true;
}

}  // namespace

stressbench::TornCalls::TornCalls(Tears tears) { now = tears; }
stressbench::TornCalls::~TornCalls() { now = {}; }

// Replace the functions of the C library.
extern "C" {

ssize_t pwrite(int file, const void* bytes, size_t length, off_t offset) {
  return interrupted() ? -1 : ::syscall(SYS_pwrite64, file, bytes, std::min(length, now.longest), offset);
}
ssize_t pread(int file, void* bytes, size_t length, off_t offset) {
  return interrupted() ? -1 : ::syscall(SYS_pread64, file, bytes, std::min(length, now.longest), offset);
}
ssize_t write(int file, const void* bytes, size_t length) {
  return interrupted() ? -1 : ::syscall(SYS_write, file, bytes, std::min(length, now.longest));
}
ssize_t read(int file, void* bytes, size_t length) {
  return interrupted() ? -1 : ::syscall(SYS_read, file, bytes, std::min(length, now.longest));
}
int fallocate(int file, int mode, off_t offset, off_t length) {
  if (now.without_fallocate) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fallocate, file, mode, offset, length));
}

}  // extern "C"
