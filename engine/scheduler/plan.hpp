// Which rounds a run consists of, and in which order. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stressbench::scheduler {

enum class RoundKind { isolated, contended };

struct Round {
  int number = 0;  // from 1
  int block = 0;
  RoundKind kind = RoundKind::isolated;
  int job = -1;  // the job that runs alone; -1 when contended

  bool operator==(const Round&) const = default;
};

struct Counts {
  int isolated = 10;
  int contended = 10;
};

// Rounds in blocks: a block holds every measured job's isolated round and one contended round in random order, so that
// a drift of the machine hits both alike. Where the counts differ, the blocks that hold the rarer kind are spread
// evenly.
class Plan {
 public:
  // `measured` are the indices of the jobs that are measured alone.
  Plan(std::vector<int> measured, Counts counts, std::uint64_t seed);

  int blocks() const noexcept;
  // The rounds of one block; their numbers go on from the blocks before. Depends on seed and block alone.
  std::vector<Round> block(int index) const;
  // Rounds in all blocks.
  int size() const noexcept;

 private:
  bool holds(int index, int count) const noexcept;
  int before(int index, int count) const noexcept;  // of `count` rounds, how many lie in blocks before `index`

  std::vector<int> measured_;
  Counts counts_;
  std::uint64_t seed_;
};

}  // namespace stressbench::scheduler
