// Memory for messages, and the longest message that one MPI call can send.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "core/units.hpp"

namespace stressbench {

// Parameter rule: the size fits into the count argument of one MPI call.
struct FitsMessage {
  static constexpr std::string_view words = "at most 2147483647 bytes, the longest message that MPI's counts allow";
  static bool holds(Bytes size) noexcept { return size.value <= std::numeric_limits<int>::max(); }
};

// Page-aligned memory, written once on allocation, so that no page is first touched inside a timed region. It is not
// filled with zeros: some processors move cache lines of zeros faster (1 MiB of an MPI_Alltoall in two thirds of the
// time), and applications seldom send zeros.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : memory_(static_cast<std::byte*>(::operator new (size, std::align_val_t{page}))), size_(size) {
    std::memset(memory_.get(), filling, size);
  }
  explicit Buffer(Bytes size) : Buffer(static_cast<std::size_t>(size.value)) {}

  std::byte* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::span<std::byte> bytes() const noexcept { return {data(), size_}; }
  std::span<std::byte> bytes(std::size_t offset, std::size_t length) const noexcept {
    return bytes().subspan(offset, length);
  }

 private:
  static constexpr std::size_t page = 4096;
  static constexpr int filling = 0x55;
  struct Free {
    void operator()(std::byte* memory) const noexcept { ::operator delete (memory, std::align_val_t{page}); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace stressbench
