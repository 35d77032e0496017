#include "scheduler/step_sample_selection.hpp"

#include <algorithm>
#include <array>

namespace stressbench::scheduler {

StepSampleSelection::StepSampleSelection(const std::vector<RowHead>& heads, std::size_t steps, int block) {
  const auto measured = std::ranges::count(heads, Phase::measured, &RowHead::phase);
  while (heads.size() * steps / static_cast<std::size_t>(stride_) > max_samples && stride_ * 2 <= measured) {
    stride_ *= 2;
  }
  std::array<std::int64_t, 3> seen{};
  for (const RowHead& head : heads) {
    selected_.push_back(seen[static_cast<std::size_t>(head.phase)]++ % stride_ == block % stride_);
  }
}

}  // namespace stressbench::scheduler
