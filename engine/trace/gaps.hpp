// The computation between calls: for each pair of successive calls, times with the measured distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parameter.hpp"
#include "core/random.hpp"
#include "trace/record.hpp"

namespace stressbench {

// How the computation of a trace is used: times as they are distributed, their mean, or each in its place.
enum class GapTimes { measured, mean, sequence };

namespace trace {

// Maximum number of times kept per pair; they are used cyclically.
inline constexpr std::int64_t max_gap_times = 256;
// Positions in the random stream reserved per pair; a shuffle uses fewer.
inline constexpr std::uint64_t draws_per_gap = 1024;

// The gap with its buckets in order. Throws UserMistake for an invalid call, count or bucket.
Gap checked_gap(Gap gap, std::size_t calls);

// The times of a checked gap in nanoseconds, with exactly its measured mean, multiplied by `scale`. With `measured`
// they follow its histogram and are shuffled with `draws`.
std::vector<std::int64_t> times_of(const Gap& gap, GapTimes times, double scale, const Draw& draws);

// The bucket that counts a time (docs/trace-format.md).
int bucket_of(double seconds);

class Gaps {
 public:
  Gaps() = default;
  // The times of each pair, as by `times_of`. Throws UserMistake as `checked_gap` does.
  Gaps(const std::vector<Gap>& gaps, std::size_t calls, GapTimes times, double scale, const Draw& draws);

  // Nanoseconds between `before` (-1: none) and `call`; 0 if the trace has no such pair. Allocates nothing.
  std::int64_t next(int before, int call) noexcept {
    if (ends_.empty()) return 0;
    const auto at = static_cast<std::size_t>(call);
    for (std::size_t s = at == 0 ? 0 : ends_[at - 1]; s < ends_[at]; ++s) {
      if (pairs_[s].before == before) return next_of(pairs_[s]);
    }
    return 0;
  }

 private:
  struct Pair {
    int before = 0;
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t next = 0;
  };
  std::int64_t next_of(Pair& pair) const noexcept {
    const std::int64_t time = times_ns_[pair.next];
    if (++pair.next == pair.end) pair.next = pair.first;
    return time;
  }

  std::vector<Pair> pairs_;        // sorted by the later call, then by descending frequency
  std::vector<std::size_t> ends_;  // for each later call, the end of its range in pairs_
  std::vector<std::int64_t> times_ns_;
};

// `count` times in nanoseconds that follow the gap's histogram, ascending within rounding. Their sum is `count` times
// the mean, to a nanosecond.
std::vector<std::int64_t> times_from_histogram(const Gap& gap, std::int64_t count, double scale);

// `seconds` * `scale` in nanoseconds, at most 30 years, which keeps sums in range.
std::int64_t scaled_ns(double seconds, double scale);
inline std::int64_t scaled_time_ns(std::int64_t time_ns, double scale) {
  return scaled_ns(static_cast<double>(time_ns) * 1e-9, scale);
}

// The time before each call of the sequence, multiplied by `scale`. Throws UserMistake if the trace lacks some.
std::vector<std::int64_t> times_in_sequence(const RankRecord& record, double scale);

}  // namespace trace
}  // namespace stressbench
