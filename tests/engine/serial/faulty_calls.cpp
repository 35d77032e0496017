#include "faulty_calls.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace {

stressbench::FaultyCalls::Faults active_faults;

bool interrupted() {
  if (active_faults.interrupted_calls <= 0) return false;
  --active_faults.interrupted_calls;
  errno = EINTR;
  return true;
}

}  // namespace

stressbench::FaultyCalls::FaultyCalls(Faults faults) { active_faults = faults; }
stressbench::FaultyCalls::~FaultyCalls() { active_faults = {}; }

// Replace the functions of the C library.
extern "C" {

ssize_t pwrite(int file, const void* bytes, size_t length, off_t offset) {
  return interrupted() ? -1 : ::syscall(SYS_pwrite64, file, bytes, std::min(length, active_faults.max_bytes), offset);
}
ssize_t pread(int file, void* bytes, size_t length, off_t offset) {
  return interrupted() ? -1 : ::syscall(SYS_pread64, file, bytes, std::min(length, active_faults.max_bytes), offset);
}
ssize_t write(int file, const void* bytes, size_t length) {
  return interrupted() ? -1 : ::syscall(SYS_write, file, bytes, std::min(length, active_faults.max_bytes));
}
ssize_t read(int file, void* bytes, size_t length) {
  return interrupted() ? -1 : ::syscall(SYS_read, file, bytes, std::min(length, active_faults.max_bytes));
}
int fallocate(int file, int mode, off_t offset, off_t length) {
  if (active_faults.without_fallocate) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fallocate, file, mode, offset, length));
}

}  // extern "C"
