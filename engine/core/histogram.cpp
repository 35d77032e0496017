#include "core/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stressbench {

std::int64_t Histogram::lower_ns(std::size_t bucket) noexcept {
  constexpr std::size_t octave = std::size_t{1} << sub_bits;
  if (bucket < 2 * octave) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = bucket / octave - 1;
  return static_cast<std::int64_t>((bucket % octave + octave) << shift);
}

std::uint64_t Histogram::total() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

double Histogram::quantile_ns(double q) const noexcept {
  const std::uint64_t all = total();
  if (all == 0) return 0.0;
  const double share = std::clamp(q, 0.0, 1.0) * static_cast<double>(all);
  const auto wanted = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(share)), 1, all);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += counts_[bucket]) < wanted) ++bucket;
  // Durations are whole nanoseconds: the longest one in the bucket is upper - 1.
  return 0.5 * static_cast<double>(lower_ns(bucket) + upper_ns(bucket) - 1);
}

}  // namespace stressbench
