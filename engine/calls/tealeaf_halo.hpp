// TeaLeaf's decomposition and halo exchange (UK-MAC/TeaLeaf_ref; order of calls: docs/motifs/halo2d.md).
#pragma once

#include <cstdint>

#include "calls/sides.hpp"
#include "core/grid.hpp"

namespace stressbench::calls {

// Ranks are numbered down the columns first, as by MPI_Cart_create.
inline Block tealeaf_block(int rank, const Dims<2>& grid, std::int64_t columns, std::int64_t rows) {
  const int x = rank / grid[1];
  const int y = rank % grid[1];
  return {block_cells(columns, grid[0], x),      block_cells(rows, grid[1], y), x > 0 ? rank - grid[1] : -1,
          x + 1 < grid[0] ? rank + grid[1] : -1, y > 0 ? rank - 1 : -1,         y + 1 < grid[1] ? rank + 1 : -1};
}

class TealeafHalo {
 public:
  TealeafHalo(CallList& calls, const Block& block) : sides_(calls, block), single_rank_(calls.ranks() == 1) {}

  // Sends one message with `depth` layers of `fields` fields to each neighbour. Corner cells are sent in both
  // directions. At depth 1 the row messages start while the column messages are in flight.
  void exchange(CallList& calls, std::int64_t fields, std::int64_t depth) const {
    if (single_rank_) return;  // no call at all
    const std::int64_t layer = 8 * fields * depth;
    const Requests across = sides_.post_across(calls, layer * (sides_.block().rows + 2 * depth));
    const bool overlaps = depth == 1;
    overlaps ? calls.test_all(across) : calls.wait_all(across);
    const Requests down = sides_.post_down(calls, layer * (sides_.block().columns + 2 * depth));
    if (overlaps) calls.wait_all_unless_tested(across);
    calls.wait_all(down);
  }

 private:
  Sides sides_;
  bool single_rank_;
};

}  // namespace stressbench::calls
