#include "scheduler/stopping/interval.hpp"

#include <algorithm>

namespace stressbench::scheduler::stopping {

bool Interval::reached(const ImpactTracker& tracker) const {
  return std::ranges::all_of(jobs_, [&](int job) {
    const auto impact = tracker.impact(job);
    return impact && impact->interval && impact->interval->high - impact->interval->low <= width_ * impact->estimate;
  });
}

}  // namespace stressbench::scheduler::stopping
