// Rules of b_eff: message sizes, lengths of loops, averages (Rabenseifner and Koniges, section 4). No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "suites/protocol.hpp"

namespace stressbench::beff {

constexpr std::size_t size_count = 21;
constexpr std::int64_t max_message_bytes = std::int64_t{128} << 20;
constexpr std::int64_t min_lmax_bytes = 4104;  // from here on all sizes differ
constexpr std::int64_t memory_divisor = 128;
constexpr std::int64_t max_loops = 300;

// 1 to 4096 in powers of two, then eight equal steps on a logarithmic scale to `lmax_bytes` >= 4104, rounded.
inline std::vector<std::int64_t> message_sizes(std::int64_t lmax_bytes) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= 4096; size *= 2) sizes.push_back(size);
  const double factor = std::pow(static_cast<double>(lmax_bytes) / 4096, 1.0 / 8);
  for (int k = 1; k < 8; ++k) sizes.push_back(static_cast<std::int64_t>(4096 * std::pow(factor, k) + 0.5));
  sizes.push_back(lmax_bytes);
  return sizes;
}

// Iterations of the next loop, from the time of the last one: 1 to 300 iterations that take between 2.5 and 5 ms.
inline std::int64_t next_loops(std::int64_t loops, double time_s) noexcept {
  constexpr double shortest_s = 2.5e-3, target_s = 3.75e-3, longest_s = 5e-3;
  if (time_s >= shortest_s && time_s <= longest_s) return loops;
  if (!(time_s > 0)) return max_loops;
  return static_cast<std::int64_t>(
      std::clamp(static_cast<double>(loops) * target_s / time_s, 1.0, static_cast<double>(max_loops)));
}

// b(pat, L, mthd, rep), bytes/s: bytes sent by all ranks / the longest time of a rank.
inline double bandwidth(std::int64_t size_bytes, std::int64_t messages, std::int64_t loops, double time_s) noexcept {
  return static_cast<double>(size_bytes) * static_cast<double>(messages) * static_cast<double>(loops) / time_s;
}

inline double mean(std::span<const double> values) noexcept {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}
// The mean on a logarithmic scale; at least one value, all greater than 0.
inline double logarithmic_mean(std::span<const double> values) noexcept {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}
// Rings and polygons have the same weight. If there is only one kind, its mean.
inline double combined_mean(std::span<const double> rings, std::span<const double> polygons) noexcept {
  if (polygons.empty()) return logarithmic_mean(rings);
  if (rings.empty()) return logarithmic_mean(polygons);
  return std::sqrt(logarithmic_mean(rings) * logarithmic_mean(polygons));
}

// b_eff in bytes/s, over all measurements and over parts of them; 0 for a part without measurements.
struct Averages {
  double all, rings, polygons, at_lmax, rings_at_lmax;
};

// `best`: the best bandwidth of each pattern and size, with the sizes of a pattern adjacent.
inline Averages average(std::span<const ProtocolPattern> patterns, std::span<const double> best) {
  std::array<std::vector<double>, 2> size_means, at_lmax;  // by kind
  const std::size_t sizes = best.size() / patterns.size();
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    if (patterns[pattern].kind == Kind::extra) continue;
    const auto kind = static_cast<std::size_t>(patterns[pattern].kind);
    size_means[kind].push_back(mean(best.subspan(pattern * sizes, sizes)));
    at_lmax[kind].push_back(best[pattern * sizes + sizes - 1]);
  }
  const auto& [rings, polygons] = size_means;
  const auto& [rings_at_lmax, polygons_at_lmax] = at_lmax;
  return {.all = combined_mean(rings, polygons),
          .rings = rings.empty() ? 0 : logarithmic_mean(rings),
          .polygons = polygons.empty() ? 0 : logarithmic_mean(polygons),
          .at_lmax = combined_mean(rings_at_lmax, polygons_at_lmax),
          .rings_at_lmax = rings_at_lmax.empty() ? 0 : logarithmic_mean(rings_at_lmax)};
}

}  // namespace stressbench::beff
