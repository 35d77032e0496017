// Messages between ranks on each level of an algebraic multigrid.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace stressbench::amg {

struct Exchange {
  int peer = 0;
  std::int64_t sent = 0;  // bytes
  std::int64_t received = 0;
};

// Level 0 is the finest. The first `levels()` levels have a matrix for products; the coarsest level below them is
// gathered to be solved. Exchanges are in ascending order of the other rank.
class Hierarchy {
 public:
  virtual ~Hierarchy() = default;
  virtual int levels() const = 0;
  virtual std::vector<Exchange> matrix(int level, int rank) const = 0;
  // From the next coarser level to this one. Restriction sends the same messages in the opposite direction.
  virtual std::vector<Exchange> interpolation(int level, int rank) const = 0;
  // Bytes that each rank with a part of the coarsest level contributes when it is gathered.
  virtual std::map<int, std::int64_t> coarsest() const = 0;
};

}  // namespace stressbench::amg
