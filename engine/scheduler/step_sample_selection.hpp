// Of which repetitions the motifs are told one by one: of all, but where a chain is so long that they would fill the
// disk. Histograms hold every execution all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/sample_buffer.hpp"

namespace stressbench::scheduler {

class StepSampleSelection {
 public:
  static constexpr std::size_t most_samples = 20'000;  // of one job's motifs in one round

  // Of `parts` motifs. Blocks keep different repetitions in `turn`, so that none, such as a cold first one, counts more
  // than others; both kinds of a block's rounds keep the same ones.
  StepSampleSelection(const std::vector<RowHead>& heads, std::size_t parts, int turn);

  bool keeps(std::size_t row) const { return kept_[row]; }
  std::int64_t stride() const noexcept { return stride_; }

 private:
  std::int64_t stride_ = 1;
  std::vector<bool> kept_;
};

}  // namespace stressbench::scheduler
