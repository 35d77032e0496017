// Stopping criterion: the time limit of the launch (`--time-limit`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "scheduler/plan.hpp"

namespace stressbench::scheduler::stopping {

// Reached when the next round would end after the limit if it took 1.1 times as long as the longest one of its kind so
// far. Evaluated before each round.
class TimeLimit {
 public:
  TimeLimit(std::optional<Nanoseconds> limit, std::size_t jobs) : limit_(limit), longest_s_(jobs + 1, 0) {}

  void observe(const Round& round, double duration_s) {
    double& longest = longest_s_[kind_of(round)];
    longest = std::max(longest, duration_s);
  }
  bool reached(const Round& next, double elapsed_s) const {
    return limit_ && elapsed_s + 1.1 * longest_s_[kind_of(next)] > limit_->seconds();
  }

 private:
  std::size_t kind_of(const Round& round) const noexcept {
    return round.job < 0 ? longest_s_.size() - 1 : static_cast<std::size_t>(round.job);
  }

  std::optional<Nanoseconds> limit_;
  std::vector<double> longest_s_;  // isolated rounds by job, then contended rounds
};

}  // namespace stressbench::scheduler::stopping
