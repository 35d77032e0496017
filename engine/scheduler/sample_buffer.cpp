#include "scheduler/sample_buffer.hpp"

#include <algorithm>

namespace stressbench::scheduler {

SampleBuffer::SampleBuffer(std::size_t columns, std::size_t capacity, OpenEndedPhases sustained)
    : current_(columns, 0.0), max_rows_(std::max<std::size_t>(64, capacity / columns)), sustained_(sustained) {}

std::size_t SampleBuffer::max_rows(Phase phase) const noexcept {
  const bool bounded =
      phase == Phase::warmup || (phase == Phase::measured && sustained_ == OpenEndedPhases::extra_only);
  return bounded ? max_rows_ : std::min(max_rows_, sustained_rows);
}

void SampleBuffer::commit(Phase phase) {
  PhaseState& state = phases_[static_cast<std::size_t>(phase)];
  if (state.repetitions == 0) state.first = total_;
  if (state.repetitions % state.stride == 0 && state.rows == max_rows(phase)) thin(phase);
  if (state.repetitions % state.stride == 0) {
    heads_.push_back({total_, phase});
    values_.insert(values_.end(), current_.begin(), current_.end());
    ++state.rows;
  }
  ++state.repetitions;
  ++total_;
  std::fill(current_.begin(), current_.end(), 0.0);
}

void SampleBuffer::thin(Phase phase) {
  PhaseState& state = phases_[static_cast<std::size_t>(phase)];
  const std::size_t width = columns();
  std::size_t kept = 0;
  state.stride *= 2;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (heads_[i].phase == phase && (heads_[i].repetition - state.first) % state.stride != 0) continue;
    heads_[kept] = heads_[i];
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                values_.begin() + static_cast<std::ptrdiff_t>(kept * width));
    ++kept;
  }
  state.rows -= heads_.size() - kept;
  heads_.resize(kept);
  values_.resize(kept * width);
}

}  // namespace stressbench::scheduler
