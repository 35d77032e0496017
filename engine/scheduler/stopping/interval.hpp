// Stopping criterion: the congestion impacts are known well enough (`--until-interval`).
#pragma once

#include <vector>

#include "scheduler/impact.hpp"

namespace stressbench::scheduler::stopping {

// Reached when every measured job has a confidence interval (from six blocks on) that is at most `width` times its
// estimate wide, from end to end. Asked between blocks.
class Interval {
 public:
  Interval(double width, std::vector<int> jobs) : width_(width), jobs_(std::move(jobs)) {}
  bool reached(const ImpactTracker& tracker) const;

 private:
  double width_;
  std::vector<int> jobs_;
};

}  // namespace stressbench::scheduler::stopping
