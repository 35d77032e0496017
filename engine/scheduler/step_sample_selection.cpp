#include "scheduler/step_sample_selection.hpp"

#include <algorithm>
#include <array>

namespace stressbench::scheduler {

StepSampleSelection::StepSampleSelection(const std::vector<RowHead>& heads, std::size_t parts, int turn) {
  const auto measured = std::ranges::count(heads, Phase::measured, &RowHead::phase);
  while (heads.size() * parts / static_cast<std::size_t>(stride_) > most_samples && stride_ * 2 <= measured) {
    stride_ *= 2;
  }
  std::array<std::int64_t, 3> seen{};
  for (const RowHead& head : heads) {
    kept_.push_back(seen[static_cast<std::size_t>(head.phase)]++ % stride_ == turn % stride_);
  }
}

}  // namespace stressbench::scheduler
