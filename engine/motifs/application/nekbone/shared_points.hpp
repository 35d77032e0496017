// How the ranks of Nekbone find out which points they share: the calls of its gather-scatter library when it is set up
// (`gs_setup` of Nek5000/Nekbone; docs/motifs/nekbone.md).
#pragma once

#include <array>
#include <cstdint>

#include "calls/call_list.hpp"
#include "core/grid.hpp"
#include "motifs/application/nekbone/crystal_router.hpp"

namespace stressbench::nekbone {

// The bricks of all ranks: how many in each direction, and how many intervals between points each has along a side.
struct Bricks {
  Dims<3> ranks;
  std::array<std::int64_t, 3> intervals{};
  bool operator==(const Bricks&) const = default;
};

class SharedPoints {
 public:
  // Takes time and memory for each rank.
  explicit SharedPoints(const Bricks& bricks);
  const Bricks& bricks() const { return bricks_; }

  // Adds the calls of a rank in which the points of all bricks, numbered globally, are sent to the rank that looks
  // after each (number modulo ranks), and that rank tells all that have a point who the others are.
  void find(calls::CallList& calls) const;

 private:
  Bricks bricks_;
  CrystalRouter points_;
  CrystalRouter sharers_;
};

}  // namespace stressbench::nekbone
