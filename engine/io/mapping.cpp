#include "io/mapping.hpp"

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/signals.hpp"

namespace stressbench::io {
namespace {

constexpr std::int64_t window_bytes = 8 << 20;

// Where a copy continues after a missing page; null outside of copies.
thread_local sigjmp_buf* volatile jump_target = nullptr;

void on_missing_page(int) {
  if (jump_target) siglongjmp(*jump_target, 1);
  std::signal(SIGBUS, SIG_DFL);  // not from a copy: raised again on return, and then fatal
}

int sigbus_users = 0;
std::optional<signals::ScopedSignalHandler> sigbus_handler;

}  // namespace

// SA_NODEFER: there is no mask to restore, since the handler is left by a jump.
SigbusCaught::SigbusCaught() noexcept {
  if (sigbus_users++ == 0) sigbus_handler.emplace(SIGBUS, on_missing_page, SA_NODEFER);
}

SigbusCaught::~SigbusCaught() {
  if (--sigbus_users == 0) sigbus_handler.reset();
}

void Mapping::attach(int file, std::int64_t file_bytes, bool writable) noexcept {
  release();
  file_ = file;
  file_bytes_ = file_bytes;
  writable_ = writable;
  sigbus_caught_.emplace();
}

void Mapping::release() noexcept {
  if (file_ < 0) return;
  unmap();
  sigbus_caught_.reset();
  file_ = -1;
}

void Mapping::unmap() noexcept {
  if (window_) ::munmap(window_, static_cast<std::size_t>(end_ - begin_));
  window_ = nullptr;
  begin_ = end_ = 0;
}

std::byte* Mapping::at(std::int64_t offset, std::size_t length) noexcept {
  const std::int64_t end = offset + static_cast<std::int64_t>(length);
  if (offset < begin_ || end > end_) {
    unmap();
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    const std::int64_t from = offset / page * page;
    const std::int64_t to = std::min(std::max(end, from + window_bytes), file_bytes_);
    void* const mapped = ::mmap(nullptr, static_cast<std::size_t>(to - from), PROT_READ | (writable_ ? PROT_WRITE : 0),
                                MAP_SHARED, file_, from);
    if (mapped == MAP_FAILED) return nullptr;
    window_ = static_cast<std::byte*>(mapped);
    begin_ = from;
    end_ = to;
  }
  return window_ + (offset - begin_);
}

bool Mapping::copy(void* to, const void* from, std::size_t length) noexcept {
  sigjmp_buf jump_buffer;
  if (sigsetjmp(jump_buffer, 0) != 0) {
    jump_target = nullptr;
    return false;
  }
  jump_target = &jump_buffer;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(to, from, length);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  jump_target = nullptr;
  return true;
}

}  // namespace stressbench::io
