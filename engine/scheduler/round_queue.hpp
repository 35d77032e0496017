// The remaining rounds of a run, loaded block by block. World rank 0 only.
#pragma once

#include <deque>

#include "scheduler/plan.hpp"

namespace stressbench::scheduler {

class RoundQueue {
 public:
  // Skips the first `completed` rounds of the plan, which earlier launches ran.
  RoundQueue(Plan plan, int completed) : plan_(std::move(plan)), completed_(completed) {}

  // Whether the next round, if any, begins a block that was not loaded yet.
  bool is_between_blocks() const noexcept { return queue_.empty() && next_block_ < plan_.blocks(); }
  // Number of loaded blocks, including those that earlier launches ran.
  int loaded_blocks() const noexcept { return next_block_; }
  void load_block() {
    for (const Round& round : plan_.block(next_block_++)) {
      if (round.number > completed_) queue_.push_back(round);
    }
  }

  bool empty() const noexcept { return queue_.empty(); }
  const Round& front() const noexcept { return queue_.front(); }
  Round take() {
    const Round round = queue_.front();
    queue_.pop_front();
    return round;
  }
  // Number of rounds in the whole plan.
  int planned() const noexcept { return plan_.size(); }

 private:
  Plan plan_;
  int completed_;
  int next_block_ = 0;
  std::deque<Round> queue_;
};

}  // namespace stressbench::scheduler
