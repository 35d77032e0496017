// sweep3d: source iterations of Sweep3D, wavefronts of a transport solver through a 2-D grid of ranks, octant by octant
// (LANL Sweep3D 2.2b; StressBench III-A; docs/motifs/sweep3d.md).

#include <algorithm>
#include <array>

#include "core/grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

// Directions of a wavefront: east or west in i, north or south in j. The two octants of a pair (down and up in k) share
// them.
struct Octant {
  bool east;
  bool north;
};
constexpr std::array<Octant, 8> octants{{{false, false},
                                         {false, false},
                                         {false, true},
                                         {false, true},
                                         {true, false},
                                         {true, false},
                                         {true, true},
                                         {true, true}}};

// Computation between calls in the reference captures, in nanoseconds: the sweep of one cell and angle against j and
// along j, the source of a cell, the error of a cell.
constexpr double south_ns = 17.0;
constexpr double north_ns = 12.5;
constexpr double source_ns = 4.0;
constexpr double error_ns = 3.0;

class Sweep3d final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const Layout layout = layout_for(ranks);
    const auto [npe_i, npe_j] = layout.grid.sides;
    const std::int64_t blocks = 8 * layout.angle_blocks * layout.plane_blocks() * *count_;
    const std::int64_t across = npe_i - 1;
    const std::int64_t down = npe_j - 1;
    const double cells = static_cast<double>(*it_g_) * static_cast<double>(*jt_g_) * static_cast<double>(*kt_) / ranks;
    const double cell_ns = 4.0 * static_cast<double>(*mm_) * (south_ns + north_ns) + source_ns + error_ns;
    return {.messages = blocks * (across * npe_j + down * npe_i),
            .message_bytes = blocks * layout.layer_bytes() * (across * *jt_g_ + down * *it_g_),
            .collectives = 2 * *count_,
            .collective_bytes =
                *count_ * ranks * (calls::size_of(ElementType::ints) + calls::size_of(ElementType::doubles)),
            .compute_s = static_cast<double>(*count_) * cells * cell_ns * scale() * 1e-9};
  }

  void check_ranks(int ranks) const override {
    const Dims<2> grid = dims_for(*grid_option_, ranks);
    check_dims("grid", grid, ranks);
    check_cells("it-g", *it_g_, grid[0]);
    check_cells("jt-g", *jt_g_, grid[1]);
    if (*mm_ % *mmi_ != 0) reject("mmi", "{} does not divide {} angles; {} would", *mmi_, *mm_, divisor());
  }

  void write(CallList& calls) const override {
    const Layout layout = layout_for(calls.ranks());
    const Block block(calls.rank(), layout, *it_g_, *jt_g_);
    const auto cells = static_cast<double>(block.it * block.jt * *kt_);
    calls.repeat(*count_, [&] {
      calls.compute(cells * source_ns);
      for (std::size_t q = 0; q < octants.size(); ++q) sweep(calls, layout, block, static_cast<int>(q) + 1);
      calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::ints, 1);  // fixups
      calls.compute(cells * error_ns);
      calls.allreduce(calls.all_ranks(), ReduceOp::max, ElementType::doubles, 1);
    });
  }

 private:
  struct Layout {
    Dims<2> grid;
    std::int64_t kt;
    std::int64_t mk;   // planes in a block
    std::int64_t mmi;  // angles in a block
    std::int64_t angle_blocks;

    std::int64_t plane_blocks() const { return (kt + mk - 1) / mk; }
    std::int64_t layer_bytes() const { return 8 * mk * mmi; }  // per line of cells; full size even in a smaller block
  };

  // A single rank sweeps all planes and angles at once.
  Layout layout_for(int ranks) const {
    const std::int64_t mk = ranks == 1 ? *kt_ : std::min(*mk_, *kt_);
    const std::int64_t mmi = ranks == 1 ? *mm_ : *mmi_;
    return {dims_for(*grid_option_, ranks), *kt_, mk, mmi, *mm_ / mmi};
  }

  // A rank's cells and its neighbours (-1: none). Ranks are numbered eastwards first.
  struct Block {
    Block(int rank, const Layout& layout, std::int64_t it_g, std::int64_t jt_g) {
      const auto [npe_i, npe_j] = layout.grid.sides;
      const int i = rank % npe_i;
      const int j = rank / npe_i;
      it = block_cells(it_g, npe_i, i);
      jt = block_cells(jt_g, npe_j, j);
      west = i > 0 ? rank - 1 : -1;
      east = i + 1 < npe_i ? rank + 1 : -1;
      south = j > 0 ? rank - npe_i : -1;
      north = j + 1 < npe_j ? rank + npe_i : -1;
    }
    std::int64_t it, jt;
    int west, east, south, north;
  };

  static void sweep(CallList& calls, const Layout& layout, const Block& block, int q) {
    calls.repeat(layout.angle_blocks, [&] {
      calls.repeat(layout.kt / layout.mk, [&] { pass_through(calls, layout, block, q, layout.mk); });
      if (layout.kt % layout.mk != 0) pass_through(calls, layout, block, q, layout.kt % layout.mk);
    });
  }

  // Passes on a wavefront of `planes` planes and a block of angles: receives, computes, sends.
  static void pass_through(CallList& calls, const Layout& layout, const Block& block, int q, std::int64_t planes) {
    const auto [east, north] = octants[static_cast<std::size_t>(q - 1)];
    const int across_tag = (east ? 1000 : 3000) * q;
    const int down_tag = (north ? 2000 : 4000) * q;
    const std::int64_t across_bytes = layout.layer_bytes() * block.jt;
    const std::int64_t down_bytes = layout.layer_bytes() * block.it;
    calls.receive(east ? block.west : block.east, across_tag, across_bytes);
    calls.receive(north ? block.south : block.north, down_tag, down_bytes);
    const auto swept = static_cast<double>(block.it * block.jt * planes * layout.mmi);
    calls.compute(swept * (north ? north_ns : south_ns));
    calls.send(east ? block.east : block.west, across_tag, across_bytes);
    calls.send(north ? block.north : block.south, down_tag, down_bytes);
  }

  static void check_cells(const char* parameter, std::int64_t cells, int ranks) {
    if (cells >= ranks) return;
    reject(parameter, "{} cells are too few for {} ranks in that direction; {} would fit", cells, ranks, ranks);
  }

  // The largest divisor of the number of angles that does not exceed --mmi.
  std::int64_t divisor() const {
    std::int64_t fits = std::min(*mmi_, *mm_);
    while (*mm_ % fits != 0) --fits;
    return fits;
  }

  static constexpr std::int64_t max_value = 1'000'000;
  Param<std::int64_t> it_g_{
      this, 'x', "it-g", 50, "cells of the whole mesh from west to east", Positive{}, AtMost{max_value}};
  Param<std::int64_t> jt_g_{
      this, 'y', "jt-g", 50, "cells of the whole mesh from south to north", Positive{}, AtMost{max_value}};
  Param<std::int64_t> kt_{
      this, 'z', "kt", 50, "cells in depth, which is not divided among ranks", Positive{}, AtMost{max_value}};
  Param<std::int64_t> mk_{this, 'k', "mk", 10, "planes in depth per message", Positive{}, AtMost{max_value}};
  Param<std::int64_t> mmi_{this, 'a', "mmi", 3, "angles per message", Positive{}, AtMost{max_value}};
  Param<std::int64_t> mm_{this, "mm", 6, "angles in an octant", Positive{}, AtMost{1000}};
  Param<Dims<2>> grid_option_{this, 'g', "grid", Dims<2>{}, "ranks west to east x south to north (npe_i x npe_j)"};
  Param<std::int64_t> count_{this,
                             'n',
                             "source-iterations",
                             1,
                             "source iterations of the solver in each iteration of the motif; a typical run has 12",
                             Positive{},
                             AtMost{max_value}};
};

const RegisterMotif<Sweep3d> registered{"sweep3d", Family::application,
                                        "wavefronts of a transport solver through a 2-D grid of ranks",
                                        "Sweep3D; StressBench III-A"};

}  // namespace
}  // namespace stressbench
