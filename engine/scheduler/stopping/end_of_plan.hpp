// Stopping criterion: every round of the plan has run.
#pragma once

#include "scheduler/round_queue.hpp"

namespace stressbench::scheduler::stopping {

// Evaluated before each round.
class EndOfPlan {
 public:
  explicit EndOfPlan(const RoundQueue& queue) : queue_(queue) {}
  bool reached() const noexcept { return queue_.empty() && !queue_.is_between_blocks(); }

 private:
  const RoundQueue& queue_;
};

}  // namespace stressbench::scheduler::stopping
