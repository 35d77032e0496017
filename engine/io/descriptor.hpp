// RAII wrapper for a file descriptor.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "io/retry_on_eintr.hpp"

namespace stressbench::io {

// Closes the descriptor in its destructor; -1: the file could not be opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

inline bool is_same_file(const struct stat& one, const struct stat& other) noexcept {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Writes all bytes. Returns 0, or the errno of the failure.
inline int write_whole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = retry_on_eintr([&] { return ::write(descriptor, text.data(), text.size()); });
    if (wrote < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

}  // namespace stressbench::io
