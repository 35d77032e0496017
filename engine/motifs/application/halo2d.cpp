// halo2d: exchange of cell layers with the four neighbours of a 2-D decomposition, as TeaLeaf does it
// (StressBench III-A; order of calls: docs/motifs/halo2d.md).

#include <algorithm>

#include "calls/tealeaf_halo.hpp"
#include "core/grid.hpp"
#include "motifs/application/call_list_motif.hpp"
#include "motifs/application/tealeaf_grid.hpp"

namespace stressbench {
namespace {

class Halo2d final : public CallListMotif {
 protected:
  void check_ranks(int ranks) const override {
    grid_.check(ranks, *columns_, *rows_, *depth_);
    const Dims<2> grid = grid_.dims(ranks);
    const std::int64_t longest =
        std::max(block_cells(*columns_, grid[0], 0), block_cells(*rows_, grid[1], 0)) + 2 * *depth_;
    if (*fields_ * *depth_ > int_max / longest) {
      reject("fields", "{} fields, {} deep, along {} cells make a message of more than {} doubles", *fields_, *depth_,
             longest, int_max);
    }
  }
  Traffic own_traffic(int ranks) const override {
    const auto [x, y] = grid_.dims(ranks).sides;
    const std::int64_t across = 2LL * (x - 1);  // messages in each row of blocks
    const std::int64_t down = 2LL * (y - 1);    // messages in each column of blocks
    return {
        .messages = across * y + down * x,
        .message_bytes = layer_bytes() * (across * (*rows_ + 2 * *depth_ * y) + down * (*columns_ + 2 * *depth_ * x))};
  }

  void write(calls::CallList& calls) const override {
    const Dims<2> grid = grid_.dims(calls.ranks());
    const calls::TealeafHalo halo(calls, calls::tealeaf_block(calls.rank(), grid, *columns_, *rows_));
    halo.exchange(calls, *fields_, *depth_);
  }

 private:
  std::int64_t layer_bytes() const { return static_cast<std::int64_t>(sizeof(double)) * *fields_ * *depth_; }

  Param<std::int64_t> columns_{this, 'x', "columns", 4000, "cells across the whole mesh", Positive{}, AtMost{int_max}};
  Param<std::int64_t> rows_{this, 'y', "rows", 4000, "cells down the whole mesh", Positive{}, AtMost{int_max}};
  Param<std::int64_t> depth_{this, 'd', "depth", 1, "layers exchanged", Positive{}, AtMost{int_max}};
  Param<std::int64_t> fields_{this, 'f', "fields", 1, "fields packed into one message", Positive{}, AtMost{1000}};
  TealeafGrid grid_{this};
};

const RegisterMotif<Halo2d> registered{"halo2d", Family::application, "exchange with the four neighbours of a 2-D mesh",
                                       "TeaLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
