// Memory of messages that a program sent, which its computation writes again before the next ones are sent from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/recorder.hpp"
#include "core/simulation.hpp"

namespace stressbench {

// A message whose sender has just written it takes longer than one that both sides still have in their caches. So
// computation that takes the time of a program's also writes what the program sent, as far as that time suffices.
class SentMemory {
 public:
  // Nothing is written in simulations, which know no caches.
  SentMemory() : writes_(!simulation()) { pending_.reserve(most_pending); }
  bool empty() const noexcept { return pending_.empty(); }

  // Memory that a completed call sent. Of very many calls without computation between them, the last are left out.
  void add(std::span<std::byte> sent) {
    if (sent.empty() || !writes_) return;
    if (!pending_.empty() && pending_.back().data() == sent.data()) {
      if (pending_.back().size() < sent.size()) pending_.back() = sent;
    } else if (pending_.size() < most_pending) {
      pending_.push_back(sent);
    }
  }
  // Writes to each cache line, without changing the contents, from `now_ns` until the clock shows nearly `end_ns`. What
  // is then left is written by the next computation.
  void rewrite(const Recorder& recorder, std::int64_t now_ns, std::int64_t end_ns) noexcept {
    for (; !pending_.empty() && now_ns + longest_part_ns < end_ns; now_ns = recorder.now_ns()) {
      std::span<std::byte>& last = pending_.back();
      const std::size_t length = last.size() < part_bytes ? last.size() : part_bytes;
      for (std::size_t at = last.size() - length; at < last.size(); at += cache_line) {
        volatile std::byte& byte = last[at];
        const std::byte value = byte;
        byte = value;
      }
      last = last.first(last.size() - length);
      if (last.empty()) pending_.pop_back();
    }
  }

 private:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t part_bytes = 16 * cache_line;
  static constexpr std::int64_t longest_part_ns = 2000;  // if all of its lines are in the cache of another core
  static constexpr std::size_t most_pending = 256;

  bool writes_;
  std::vector<std::span<std::byte>> pending_;
};

}  // namespace stressbench
