// Messages between ranks on each level of an algebraic multigrid.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace stressbench::amg {

struct Exchange {
  int other = 0;
  std::int64_t sent = 0;  // bytes
  std::int64_t received = 0;
};

// Level 0 is the finest. `levels()` of them have a matrix that is multiplied with; below them is the coarsest, which is
// solved by gathering it. Exchanges are in the order of the other ranks.
class Hierarchy {
 public:
  virtual ~Hierarchy() = default;
  virtual int levels() const = 0;
  virtual std::vector<Exchange> matrix(int level, int rank) const = 0;
  // From the level below to this one. Restriction goes the same ways backwards.
  virtual std::vector<Exchange> interpolation(int level, int rank) const = 0;
  // What the ranks that have a part of the coarsest level give, in bytes.
  virtual std::map<int, std::int64_t> coarsest() const = 0;
};

}  // namespace stressbench::amg
