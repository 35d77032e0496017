#include "scheduler/impact.hpp"

namespace stressbench::scheduler {

void ImpactTracker::on_header(const Header&) { present_.clear(); }

void ImpactTracker::on_sample(const Sample& sample) {
  if (!sample.step && sample.head.phase == Phase::measured) present_[sample.job].push_back(sample.time.max);
}

void ImpactTracker::on_round(const RoundRecord& record) {
  for (auto& [job, times] : present_) {
    Halves& halves = blocks_[job][record.round.block];
    (record.round.kind == RoundKind::isolated ? halves.isolated : halves.contended) = median(std::move(times));
  }
  present_.clear();
}

std::vector<Pair> ImpactTracker::pairs(int job) const {
  std::vector<Pair> found;
  const auto blocks = blocks_.find(job);
  if (blocks == blocks_.end()) return found;
  for (const auto& [block, halves] : blocks->second) {
    if (halves.isolated && halves.contended) found.push_back({*halves.isolated, *halves.contended});
  }
  return found;
}

std::vector<double> ImpactTracker::medians(int job, RoundKind kind) const {
  std::vector<double> found;
  const auto blocks = blocks_.find(job);
  if (blocks == blocks_.end()) return found;
  for (const auto& [block, halves] : blocks->second) {
    const auto& half = kind == RoundKind::isolated ? halves.isolated : halves.contended;
    if (half) found.push_back(*half);
  }
  return found;
}

}  // namespace stressbench::scheduler
