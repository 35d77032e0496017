// Batches of repetitions, after each of which the root of a job decides whether to continue. Used by the scheduler, and
// by the simulator of packets, which does the same.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stressbench {

// Repetitions of a job, and the time of the slowest rank, since the root may only be a target of one-sided
// communication and finish at once.
struct Batch {
  std::int64_t repetitions = 1;
  double slowest_s = 0;

  // Target time of a batch. Long enough to make the cost of the decision negligible.
  static constexpr double target_s = 0.02;
  static constexpr std::int64_t most_repetitions = 100000;
  // Up to this time of a batch, the decision on the next one is made while it runs.
  static constexpr double longest_early_s = 0.25;

  // The repetitions of the next batch. Some motifs take no time in a simulation; the number then stays as it is.
  std::int64_t next_repetitions() const noexcept {
    const double fitting = static_cast<double>(repetitions) * (slowest_s > 0 ? target_s / slowest_s : 1);
    return std::clamp(static_cast<std::int64_t>(std::min(fitting, 1e9)), std::int64_t{1},
                      std::min(most_repetitions, repetitions * 4));
  }
  bool is_short() const noexcept { return slowest_s < longest_early_s; }
};

}  // namespace stressbench
