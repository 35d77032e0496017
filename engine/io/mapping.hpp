// A file in memory: a window that moves along with what is used, so that it stays small however long the file is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/signals.hpp"

namespace stressbench::io {

class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { release(); }

  // Looks at an open file of `file_bytes`. From now until `release`, a page that the storage cannot give (full disk,
  // error) no longer ends the process.
  void attach(int file, std::int64_t file_bytes, bool writable) noexcept;
  void release() noexcept;

  // Bytes of the file from `offset` on, which must all lie in it; null with errno where they cannot be mapped.
  std::byte* at(std::int64_t offset, std::size_t length) noexcept;

  // As memcpy. False where the storage did not give a page.
  [[nodiscard]] static bool copy(void* to, const void* from, std::size_t length) noexcept;

 private:
  void unmap() noexcept;

  int file_ = -1;
  std::int64_t file_bytes_ = 0;
  bool writable_ = false;
  std::byte* window_ = nullptr;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::optional<signals::Handler> missing_pages_;  // SIGBUS
};

}  // namespace stressbench::io
