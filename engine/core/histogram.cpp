#include "core/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stressbench {

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
  return Buckets::middle(bucket);  // durations are whole nanoseconds
}

}  // namespace stressbench
