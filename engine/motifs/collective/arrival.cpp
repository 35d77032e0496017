#include "motifs/collective/arrival.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stressbench {
namespace {

// Delays drawn for one timed region: 32 KiB. A region with more iterations reuses them from the first.
constexpr std::int64_t most_draws = 4096;
// Takes the place of a rank in the draw of the late rank, which must be the same on all ranks.
constexpr auto common_rank = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Arrival::Arrival(ParameterSet* owner)
    : late_(owner, "late", Nanoseconds{0}, "maximum time that a rank computes before it enters the call"),
      shape_(owner, "late-shape", LateShape::single,
             "single: one rank, drawn anew for each call, is late; random: each rank draws between 0 and the maximum; "
             "linear: from 0 on rank 0 to the maximum on the last rank") {}

void Arrival::check() const {
  if (shape_.was_given() && !imbalanced())
    throw ParameterMistake("late-shape", "--late-shape: " + shape_.text() + " has no effect without --late TIME");
}

void Arrival::decompose(int rank, int ranks, const Draw& draws, std::int64_t iterations) {
  draws_ = draws;
  rank_ = rank;
  ranks_ = ranks;
  if (imbalanced()) lateness_ns_.assign(static_cast<std::size_t>(std::min(iterations, most_draws)), 0);
}

void Arrival::prepare(std::uint64_t execution) {
  next_ = 0;
  for (std::int64_t& lateness : lateness_ns_) lateness = lateness_ns(execution++);
}

void Arrival::wait(const Recorder& recorder) noexcept {
  if (lateness_ns_.empty()) return;
  const std::int64_t lateness = lateness_ns_[next_];
  next_ = next_ + 1 < lateness_ns_.size() ? next_ + 1 : 0;
  if (lateness > 0) recorder.spin_for(lateness);
}

std::int64_t Arrival::lateness_ns(std::uint64_t execution) const {
  const auto share_ns = [this](double share) { return std::llround(static_cast<double>(late_->value) * share); };
  Draw position = draws_;
  position.execution = execution;
  switch (*shape_) {
    case LateShape::single:
      position.rank = common_rank;
      return random_below(position, static_cast<std::uint64_t>(ranks_)) == static_cast<std::uint64_t>(rank_)
                 ? late_->value
                 : 0;
    case LateShape::random:
      position.rank = static_cast<std::uint32_t>(rank_);
      return share_ns(random_unit(position));
    case LateShape::linear:
      return ranks_ == 1 ? 0 : share_ns(static_cast<double>(rank_) / (ranks_ - 1));
  }
  return 0;
}

}  // namespace stressbench
