// Memory for messages, and the longest message that one MPI call can send.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "core/units.hpp"

namespace stressbench {

// Written memory at the start of a page. A simulation in which nothing reads payload gives all long blocks the same
// memory (core/simulated/buffer.cpp).
std::byte* allocate_pages(std::size_t size);
void free_pages(std::byte* memory, std::size_t size) noexcept;

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
  explicit Buffer(std::size_t size) : memory_(allocate_pages(size), Free{size}), size_(size) {}
  explicit Buffer(Bytes size) : Buffer(static_cast<std::size_t>(size.value)) {}

  std::byte* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::span<std::byte> bytes() const noexcept { return {data(), size_}; }
  std::span<std::byte> bytes(std::size_t offset, std::size_t length) const noexcept {
    return bytes().subspan(offset, length);
  }

 private:
  struct Free {
    std::size_t size;
    void operator()(std::byte* memory) const noexcept { free_pages(memory, size); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace stressbench
