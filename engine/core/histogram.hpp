// Log-linear histogram of durations: 128 buckets per octave above 128 ns, one per nanosecond below, so no bucket is
// wider than 1/128 (0.8 %) of its lower edge. Constant memory (35 KiB); ranks are merged by summing the counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/log_linear_buckets.hpp"

namespace stressbench {

class Histogram {
 public:
  static constexpr int top_bit = 41;  // durations up to 2^41 ns, 36 minutes; longer ones count in the last bucket
  using Buckets = LogLinearBuckets<7, top_bit>;
  static constexpr std::size_t buckets = Buckets::count;

  void record(std::int64_t duration_ns) noexcept { ++counts_[bucket_of(duration_ns)]; }

  static std::size_t bucket_of(std::int64_t duration_ns) noexcept {
    return duration_ns < 0 ? 0 : Buckets::bucket_of(static_cast<std::uint64_t>(duration_ns));
  }
  // Edges of a bucket, in nanoseconds: lower <= duration < upper.
  static std::int64_t lower_ns(std::size_t bucket) noexcept {
    return static_cast<std::int64_t>(Buckets::lower(bucket));
  }
  static std::int64_t upper_ns(std::size_t bucket) noexcept { return lower_ns(bucket + 1); }

  std::span<std::uint64_t> counts() noexcept { return counts_; }
  std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  std::uint64_t total() const noexcept;
  // Middle of the bucket that holds the q-quantile, 0 <= q <= 1; 0 when empty.
  double quantile_ns(double q) const noexcept;
  void clear() noexcept { counts_.assign(buckets, 0); }

 private:
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(buckets, 0);
};

// A histogram with the exact sum, minimum and maximum, which its buckets give only approximately.
struct Durations {
  Histogram counts;
  double sum_ns = 0;
  std::int64_t min_ns = -1;  // -1: no duration yet
  std::int64_t max_ns = 0;

  void record(std::int64_t duration_ns) noexcept {
    counts.record(duration_ns);
    sum_ns += static_cast<double>(duration_ns);
    min_ns = min_ns < 0 ? duration_ns : std::min(min_ns, duration_ns);
    max_ns = std::max(max_ns, duration_ns);
  }
};

}  // namespace stressbench
