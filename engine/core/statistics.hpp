// Estimates from samples: pure functions. Results are evaluated in Python (stats/); the engine needs
// these for its stopping criterion and its summary table.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace stressbench {

// q-quantile, 0 <= q <= 1, by linear interpolation between order statistics (Hyndman and Fan's type 7). Empty: no
// value.
std::optional<double> quantile(std::vector<double> samples, double q);
inline std::optional<double> median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

struct Interval {
  double low = 0;
  double high = 0;
};

// Times of a job in one block: isolated and contended, measured close together.
struct Pair {
  double isolated = 0;
  double contended = 0;
};

// Congestion impact (StressBench, Equation 3): contended / isolated. The estimate is the Hodges-Lehmann middle of the
// blocks' own ratios, the 95 % interval Wilcoxon's signed-rank one, both over logarithms: pairing cancels the machine's
// drift, and ranks hold 95 % whatever the noise. The same as stats/intervals.py, which gives the reasons and the
// simulated coverage. No value without blocks or where a time is not positive.
struct Impact {
  double estimate = 0;
  std::optional<Interval> interval;  // none below six blocks: 2 x 2^-5 > 5 %
};
std::optional<Impact> congestion_impact(std::span<const Pair> blocks);

}  // namespace stressbench
