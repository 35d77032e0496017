// halo2d: exchange of cell layers with the four neighbours of a 2-D decomposition, as TeaLeaf does it
// (StressBench III-A; order of calls: docs/motifs/halo2d.md).

#include <algorithm>

#include "calls/tealeaf_halo.hpp"
#include "core/grid.hpp"
#include "motifs/application/call_list_motif.hpp"

namespace stressbench {
namespace {

struct KnownGrid {
  static constexpr std::string_view words = "auto, or ranks across x ranks down: 4x2";
  static bool holds(const Dims<2>&) noexcept { return true; }  // Spelling rejects any other value
};

class Halo2d final : public CallListMotif {
 protected:
  void check_ranks(int ranks) const override {
    const Dims<2> grid = dims_for(*grid_option_, ranks);
    check_dims("grid", grid, ranks);
    check_blocks("columns", *columns_, grid[0]);
    check_blocks("rows", *rows_, grid[1]);
    const std::int64_t longest =
        std::max(block_cells(*columns_, grid[0], 0), block_cells(*rows_, grid[1], 0)) + 2 * *depth_;
    if (*fields_ * *depth_ > int_max / longest) {
      reject("fields", "{} fields, {} deep, along {} cells make a message of more than {} doubles", *fields_, *depth_,
             longest, int_max);
    }
  }
  Traffic own_traffic(int ranks) const override {
    const auto [x, y] = dims_for(*grid_option_, ranks).sides;
    const std::int64_t across = 2LL * (x - 1);  // messages in each row of blocks
    const std::int64_t down = 2LL * (y - 1);    // messages in each column of blocks
    return {
        .messages = across * y + down * x,
        .message_bytes = layer_bytes() * (across * (*rows_ + 2 * *depth_ * y) + down * (*columns_ + 2 * *depth_ * x))};
  }

  void write(calls::CallList& calls) const override {
    const Dims<2> grid = dims_for(*grid_option_, calls.ranks());
    const calls::TealeafHalo halo(calls, calls::tealeaf_block(calls.rank(), grid, *columns_, *rows_));
    halo.exchange(calls, *fields_, *depth_);
  }

 private:
  std::int64_t layer_bytes() const { return static_cast<std::int64_t>(sizeof(double)) * *fields_ * *depth_; }

  void check_blocks(const char* parameter, std::int64_t cells, int blocks) const {
    if (cells < blocks) reject(parameter, "{} cells are too few for {} ranks in that direction", cells, blocks);
    const std::int64_t smallest = cells / blocks;
    if (*depth_ > smallest)
      reject("depth", "{}, but the smallest block has {} {}; at most {}", *depth_, smallest, parameter, smallest);
  }

  Param<std::int64_t> columns_{this, 'x', "columns", 4000, "cells across the whole mesh", Positive{}, AtMost{int_max}};
  Param<std::int64_t> rows_{this, 'y', "rows", 4000, "cells down the whole mesh", Positive{}, AtMost{int_max}};
  Param<std::int64_t> depth_{this, 'd', "depth", 1, "layers exchanged", Positive{}, AtMost{int_max}};
  Param<std::int64_t> fields_{this, 'f', "fields", 1, "fields packed into one message", Positive{}, AtMost{1000}};
  Param<Dims<2>> grid_option_{this, "grid", Dims<2>{},
                              "ranks across and down; auto: as square as can be, the longer side across", KnownGrid{}};
};

const RegisterMotif<Halo2d> registered{"halo2d", Family::application, "exchange with the four neighbours of a 2-D mesh",
                                       "TeaLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
