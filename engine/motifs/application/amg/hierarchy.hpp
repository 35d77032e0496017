// Messages between ranks on each level of an algebraic multigrid.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace stressbench::amg {

struct Exchange {
  int peer = 0;
  std::int64_t sent = 0;  // bytes
  std::int64_t received = 0;
};

// Level 0 is the finest. The first `levels()` levels are relaxed on the way down and up. The coarsest level, below
// them, is gathered to be solved; if it is too large for that, it is relaxed once. Exchanges are in ascending order of
// the other rank.
class Hierarchy {
 public:
  virtual ~Hierarchy() = default;
  virtual int levels() const = 0;
  // Points of a rank, to which its computation is proportional.
  virtual std::int64_t points(int level, int rank) const = 0;
  // Includes the coarsest level if it is relaxed.
  virtual std::vector<Exchange> matrix(int level, int rank) const = 0;
  // From the next coarser level to this one. Restriction sends the same messages in the opposite direction.
  virtual std::vector<Exchange> interpolation(int level, int rank) const = 0;
  // Bytes that each rank with a part of the coarsest level contributes when it is gathered; empty where it is relaxed.
  virtual std::map<int, std::int64_t> coarsest() const = 0;
};

// Exchanges of any levels and ranks, listed message by message.
class Exchanges {
 public:
  // Returns false, and changes nothing, if this message is listed already.
  bool add(int level, int from, int to, std::int64_t bytes);
  std::vector<Exchange> of(int level, int rank) const;
  // One more than the highest level with a message.
  int levels() const { return levels_; }

 private:
  std::map<std::pair<int, int>, std::map<int, Exchange>> by_level_and_rank_;  // then by the other rank
  int levels_ = 0;
};

}  // namespace stressbench::amg
