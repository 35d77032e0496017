#include "scheduler/plan.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "scheduler/streams.hpp"

namespace stressbench::scheduler {

Plan::Plan(std::vector<int> measured, Counts counts, std::uint64_t seed)
    : measured_(std::move(measured)), counts_(counts), seed_(seed) {}

int Plan::blocks() const noexcept { return std::max(counts_.isolated, counts_.contended); }

int Plan::before(int index, int count) const noexcept {
  return static_cast<int>(static_cast<std::int64_t>(index) * count / std::max(1, blocks()));
}

bool Plan::holds(int index, int count) const noexcept { return before(index + 1, count) > before(index, count); }

std::vector<Round> Plan::block(int index) const {
  std::vector<Round> rounds;
  if (holds(index, counts_.isolated)) {
    for (const int job : measured_) rounds.push_back({0, index, RoundKind::isolated, job});
  }
  if (holds(index, counts_.contended)) rounds.push_back({0, index, RoundKind::contended, -1});
  const Draw draw{seed_, streams::block_order, 0, static_cast<std::uint64_t>(index) << 20};
  const std::vector<int> order = random_permutation(draw, static_cast<int>(rounds.size()));
  int number = before(index, counts_.isolated) * static_cast<int>(measured_.size()) + before(index, counts_.contended);
  std::vector<Round> shuffled;
  for (const int at : order) {
    shuffled.push_back(rounds[static_cast<std::size_t>(at)]);
    shuffled.back().number = ++number;
  }
  return shuffled;
}

int Plan::size() const noexcept { return counts_.isolated * static_cast<int>(measured_.size()) + counts_.contended; }

}  // namespace stressbench::scheduler
