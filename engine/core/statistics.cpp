#include "core/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace stressbench {

std::optional<double> quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return std::nullopt;
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(samples.begin(), at, samples.end());
  const double low = *at;
  if (below + 1 == samples.size()) return low;
  const double high = *std::min_element(at + 1, samples.end());
  return low + (position - static_cast<double>(below)) * (high - low);
}

namespace {

constexpr double tail = 0.025;

// Largest k with P(T < k) <= 2.5 %, where T is the signed-rank statistic of n symmetric differences: exact for up to
// 100 pairs, by the normal approximation above. 0 if even the widest interval covers less than 95 %.
std::size_t wilcoxon_depth(std::size_t n) {
  if (n > 100) {
    const auto pairs = static_cast<double>(n);
    const double middle = pairs * (pairs + 1) / 4;
    const double deviation = std::sqrt(middle * (2 * pairs + 1) / 6);
    const double z = boost::math::quantile(boost::math::normal(), 1 - tail);
    return static_cast<std::size_t>(std::max(0.0, std::floor(middle - z * deviation)));
  }
  std::vector<double> share(n * (n + 1) / 2 + 1, 0.0);
  share[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = share.size(); sum-- > 0;)
      share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0.0)) / 2;
  }
  double below = 0;
  std::size_t depth = 0;
  while (below + share[depth] <= tail) below += share[depth++];
  return depth;
}

}  // namespace

std::optional<Impact> congestion_impact(std::span<const Pair> blocks) {
  if (blocks.empty()) return std::nullopt;
  std::vector<double> logs;
  for (const Pair& block : blocks) {
    if (!(block.isolated > 0) || !(block.contended > 0)) return std::nullopt;
    logs.push_back(std::log(block.contended / block.isolated));
  }
  std::vector<double> means;  // Walsh averages: of every pair of blocks, and of each block with itself
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (std::size_t j = i; j < logs.size(); ++j) means.push_back((logs[i] + logs[j]) / 2);
  }
  std::sort(means.begin(), means.end());
  Impact impact{std::exp(*median(means)), std::nullopt};
  const std::size_t depth = wilcoxon_depth(logs.size());
  if (depth > 0) impact.interval = Interval{std::exp(means[depth - 1]), std::exp(means[means.size() - depth])};
  return impact;
}

}  // namespace stressbench
