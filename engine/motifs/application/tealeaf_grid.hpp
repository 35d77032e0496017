// The grid of ranks of motifs that divide a mesh as TeaLeaf does: its option and its checks.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/grid.hpp"

namespace stressbench {

class TealeafGrid {
 public:
  explicit TealeafGrid(ParameterSet* owner)
      : option_(owner, "grid", Dims<2>{}, "ranks across and down; auto: as square as possible, the longer side across",
                KnownGrid{}) {}

  Dims<2> dims(int ranks) const { return dims_for(*option_, ranks); }

  // Throws ParameterMistake unless the grid has this number of ranks and no block has fewer cells in a direction than
  // the halo has layers.
  void check(int ranks, std::int64_t columns, std::int64_t rows, std::int64_t depth) const {
    const Dims<2> grid = dims(ranks);
    check_dims("grid", grid, ranks);
    check_blocks("columns", columns, grid[0], depth);
    check_blocks("rows", rows, grid[1], depth);
  }

 private:
  struct KnownGrid {
    static constexpr std::string_view words = "auto, or ranks across x ranks down: 4x2";
    static bool holds(const Dims<2>&) noexcept { return true; }  // Spelling rejects any other value
  };

  static void check_blocks(const char* parameter, std::int64_t cells, int blocks, std::int64_t depth) {
    if (cells < blocks) reject(parameter, "{} cells are too few for {} ranks in that direction", cells, blocks);
    const std::int64_t smallest = cells / blocks;
    if (depth > smallest)
      reject("depth", "{}, but the smallest block has {} {}; at most {}", depth, smallest, parameter, smallest);
  }

  Param<Dims<2>> option_;
};

}  // namespace stressbench
