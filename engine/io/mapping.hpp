// Memory-mapped access to a file through a window that moves along, so that little of the file is mapped at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace stressbench::io {

// While any object of this class exists, SIGBUS during Mapping::copy makes the copy fail instead of ending the process.
class SigbusCaught {
 public:
  SigbusCaught() noexcept;
  SigbusCaught(const SigbusCaught&) = delete;
  SigbusCaught& operator=(const SigbusCaught&) = delete;
  ~SigbusCaught();
};

class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { release(); }

  // Refers to an open file of `file_bytes`. Until `release`, a page that the storage cannot provide (full disk, error)
  // does not end the process.
  void attach(int file, std::int64_t file_bytes, bool writable) noexcept;
  void release() noexcept;

  // Address of bytes within the file; null with errno set if they cannot be mapped.
  std::byte* at(std::int64_t offset, std::size_t length) noexcept;

  // Like memcpy. Returns false if the storage could not provide a page.
  [[nodiscard]] static bool copy(void* to, const void* from, std::size_t length) noexcept;

 private:
  void unmap() noexcept;

  int file_ = -1;
  std::int64_t file_bytes_ = 0;
  bool writable_ = false;
  std::byte* window_ = nullptr;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::optional<SigbusCaught> sigbus_caught_;  // while a file is attached
};

}  // namespace stressbench::io
