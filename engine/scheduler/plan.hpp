// The rounds of a run and their order. No side effects.
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench::scheduler {

enum class RoundKind { isolated, contended };

struct Round {
  int number = 0;  // from 1
  int block = 0;
  RoundKind kind = RoundKind::isolated;
  int job = -1;  // the job of an isolated round; -1: contended

  bool operator==(const Round&) const = default;
};

struct Counts {
  int isolated = 10;
  int contended = 10;
};

// Rounds in blocks: a block holds an isolated round of each measured job and one contended round, in random order, so
// that a drift of the machine affects both alike. If the counts differ, the blocks with the rarer kind are spread
// evenly.
class Plan {
 public:
  // `measured`: indices of the jobs that have isolated rounds.
  Plan(std::vector<int> measured, Counts counts, std::uint64_t seed);

  int blocks() const noexcept;
  // The rounds of one block, numbered after those of earlier blocks. Depends only on the seed and the block.
  std::vector<Round> block(int index) const;
  // Rounds in all blocks.
  int size() const noexcept;

 private:
  bool holds(int index, int count) const noexcept;
  int before(int index, int count) const noexcept;  // number of the `count` rounds that are in blocks before `index`

  std::vector<int> measured_;
  Counts counts_;
  std::uint64_t seed_;
};

}  // namespace stressbench::scheduler
