// An open file of the system's: closed at its end, written whole.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "io/uninterrupted.hpp"

namespace stressbench::io {

// Closed at the end; -1 where the system refused to open it.
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

// The errno of what failed, else 0.
inline int write_whole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = uninterrupted([&] { return ::write(descriptor, text.data(), text.size()); });
    if (wrote < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

}  // namespace stressbench::io
