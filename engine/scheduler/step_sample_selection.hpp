// Selects the repetitions whose step samples are recorded: all of them, unless the chain is so long that they would
// fill the disk. Histograms always hold every execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/sample_buffer.hpp"

namespace stressbench::scheduler {

class StepSampleSelection {
 public:
  static constexpr std::size_t max_samples = 20'000;  // for all steps of one job in one round

  // `steps` is the number of steps in the chain, `block` the block. Blocks select different repetitions, so that none,
  // such as a cold first one, is overrepresented. Isolated and contended rounds of a block select the same ones.
  StepSampleSelection(const std::vector<RowHead>& heads, std::size_t steps, int block);

  bool is_selected(std::size_t row) const { return selected_[row]; }
  std::int64_t stride() const noexcept { return stride_; }

 private:
  std::int64_t stride_ = 1;
  std::vector<bool> selected_;
};

}  // namespace stressbench::scheduler
