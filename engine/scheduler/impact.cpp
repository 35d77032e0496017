#include "scheduler/impact.hpp"

namespace stressbench::scheduler {

void ImpactTracker::on_header(const Header&) { current_times_.clear(); }

void ImpactTracker::on_sample(const Sample& sample) {
  if (!sample.step && sample.head.phase == Phase::measured) current_times_[sample.job].push_back(sample.time.max);
}

void ImpactTracker::on_round(const RoundRecord& record) {
  for (auto& [job, times] : current_times_) {
    BlockMedians& block_medians = blocks_[job][record.round.block];
    (record.round.kind == RoundKind::isolated ? block_medians.isolated : block_medians.contended) =
        median(std::move(times));
  }
  current_times_.clear();
}

std::vector<Pair> ImpactTracker::pairs(int job) const {
  std::vector<Pair> result;
  const auto blocks = blocks_.find(job);
  if (blocks == blocks_.end()) return result;
  for (const auto& [block, block_medians] : blocks->second) {
    if (block_medians.isolated && block_medians.contended)
      result.push_back({*block_medians.isolated, *block_medians.contended});
  }
  return result;
}

std::vector<double> ImpactTracker::medians(int job, RoundKind kind) const {
  std::vector<double> result;
  const auto blocks = blocks_.find(job);
  if (blocks == blocks_.end()) return result;
  for (const auto& [block, block_medians] : blocks->second) {
    const auto& median_s = kind == RoundKind::isolated ? block_medians.isolated : block_medians.contended;
    if (median_s) result.push_back(*median_s);
  }
  return result;
}

}  // namespace stressbench::scheduler
