// Memory that computation reads, as an application's computation goes through its data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/buffer.hpp"
#include "core/recorder.hpp"
#include "core/simulation.hpp"
#include "core/units.hpp"

namespace stressbench {

// An application's data displace messages, the MPI library and the kernel's network code from the caches of its core,
// so that communication after computation takes longer than in a loop of communication alone. Computation that takes
// the time of a program's therefore reads as much memory as the program uses between the same calls.
class WorkingSet {
 public:
  // Parameter rule: an upper limit, so that a typing error does not exhaust the node's memory.
  struct Limit {
    static constexpr std::string_view words = "at most 16 GiB";
    static bool holds(Bytes size) noexcept { return size.value <= std::int64_t{16} << 30; }
  };

  // Why the option is rejected where ranks sleep or do not compute.
  static constexpr std::string_view unread = "is only read by computation that spins: --compute busy or cpu";

  WorkingSet() = default;
  // `size` is rounded up to a multiple of `part_bytes`. Nothing is read in simulations, which know no caches.
  explicit WorkingSet(Bytes size) : memory_(simulation() ? 0 : parts_of(size) * part_bytes) {}

  std::size_t size() const noexcept { return memory_.size(); }
  // Where the next computation begins to read, from the start of the memory.
  std::size_t position() const noexcept { return position_; }

  // Reads each cache line, from where the computation before ended, again and again until the clock shows nearly
  // `end_ns`.
  void read(const Recorder& recorder, std::int64_t end_ns) noexcept {
    if (size() == 0) return;
    while (recorder.now_ns() + longest_part_ns < end_ns) {
      const volatile std::byte* const part = memory_.data() + position_;
      for (std::size_t at = 0; at < part_bytes; at += cache_line) static_cast<void>(part[at]);
      position_ += part_bytes;
      if (position_ == size()) position_ = 0;
    }
  }

  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t part_bytes = 16 * cache_line;

 private:
  static constexpr std::int64_t longest_part_ns = 2000;  // as if no line were in a cache

  static std::size_t parts_of(Bytes size) noexcept {
    return (static_cast<std::size_t>(size.value) + part_bytes - 1) / part_bytes;
  }

  Buffer memory_;
  std::size_t position_ = 0;
};

}  // namespace stressbench
