// Statistical estimates, as pure functions. Results are evaluated in Python (stats/); the engine needs these for its
// stopping criterion and its summary table.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace stressbench {

// q-quantile, 0 <= q <= 1, by linear interpolation between order statistics (Hyndman and Fan's type 7). None without
// samples.
std::optional<double> quantile(std::vector<double> samples, double q);
inline std::optional<double> median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

struct Interval {
  double low = 0;
  double high = 0;
};

// Isolated and contended time of a job in one block, measured in close succession.
struct Pair {
  double isolated = 0;
  double contended = 0;
};

// Congestion impact (StressBench, Equation 3): contended / isolated. The estimate is the Hodges-Lehmann estimate over
// the blocks' ratios, the 95 % interval is Wilcoxon's signed-rank interval, both computed on logarithms. Pairing
// cancels drift of the machine, and rank statistics cover 95 % for any noise. Same method as stats/intervals.py, which
// gives the reasons and the simulated coverage. None without blocks or if a time is not positive.
struct Impact {
  double estimate = 0;
  std::optional<Interval> interval;  // none with fewer than six blocks: 2 x 2^-5 > 5 %
};
std::optional<Impact> congestion_impact(std::span<const Pair> blocks);

}  // namespace stressbench
