// Stopping criterion: the congestion impacts are precise enough (`--until-interval`).
#pragma once

#include <vector>

#include "scheduler/impact.hpp"

namespace stressbench::scheduler::stopping {

// Reached when every measured job has a confidence interval (which needs at least six blocks) whose full width is at
// most `width` times its estimate. Evaluated between blocks.
class Interval {
 public:
  Interval(double width, std::vector<int> jobs) : width_(width), jobs_(std::move(jobs)) {}
  bool reached(const ImpactTracker& tracker) const;

 private:
  double width_;
  std::vector<int> jobs_;
};

}  // namespace stressbench::scheduler::stopping
