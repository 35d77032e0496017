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
  static constexpr std::size_t most_samples = 20'000;  // for all steps of one job in one round

  // `parts` is the number of steps in the chain, `turn` the block. Blocks select different repetitions, so that none,
  // such as a cold first one, is overrepresented. Isolated and contended rounds of a block select the same ones.
  StepSampleSelection(const std::vector<RowHead>& heads, std::size_t parts, int turn);

  bool keeps(std::size_t row) const { return kept_[row]; }
  std::int64_t stride() const noexcept { return stride_; }

 private:
  std::int64_t stride_ = 1;
  std::vector<bool> kept_;
};

}  // namespace stressbench::scheduler
