// cloverleaf: a time step of CloverLeaf, explicit hydrodynamics on a 2-D mesh: six halo exchanges, three reductions
// (UK-MAC/CloverLeaf_ref; StressBench III-A; docs/motifs/cloverleaf.md).

#include "calls/sides.hpp"
#include "core/grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

constexpr std::int64_t max_halo_depth = 2;  // layers of the deepest halo
constexpr std::int64_t extra_cells = 5;     // rows or columns by which a message exceeds its block, at any depth

// Computation per cell between calls in the reference captures, in nanoseconds.
constexpr double ideal_gas_ns = 1.5;
constexpr double viscosity_ns = 7.6;
constexpr double timestep_ns = 7.6;
constexpr double predict_ns = 5.0;   // PdV, half a step
constexpr double correct_ns = 10.8;  // revert, accelerate, PdV
constexpr double fluxes_ns = 3.2;
constexpr double advect_cells_ns = 6.5;
constexpr double advect_both_ns = 15.8;      // momentum, then cells in the other direction
constexpr double advect_momentum_ns = 13.0;  // and the reset of fields

// The grid of ranks that CloverLeaf chooses: the fewest rows of blocks for which the grid is not wider, relative to its
// height, than the mesh. The ratios are in single precision as in CloverLeaf, so that ties are decided in the same way.
Dims<2> rank_grid_for(int ranks, std::int64_t columns, std::int64_t rows) {
  const double mesh = static_cast<float>(columns) / static_cast<float>(rows);
  const Dims<2> single_line = mesh >= 1.0 ? Dims<2>{{ranks, 1}} : Dims<2>{{1, ranks}};
  for (int down = 1; down < ranks; ++down) {
    if (ranks % down != 0) continue;
    const double across = static_cast<float>(ranks) / static_cast<float>(down);
    if (across / down <= mesh) return {{ranks / down, down}};
  }
  return single_line;
}

class CloverLeaf final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const auto [across, down] = rank_grid(ranks).sides;
    const std::int64_t lines =
        2LL * (across - 1) * (*rows_ + extra_cells * down) + 2LL * (down - 1) * (*columns_ + extra_cells * across);
    const double cells = static_cast<double>(*columns_) * static_cast<double>(*rows_) / ranks;
    const double cell_ns = ideal_gas_ns + viscosity_ns + timestep_ns + predict_ns + ideal_gas_ns + correct_ns +
                           fluxes_ns + advect_cells_ns + advect_both_ns + advect_momentum_ns;
    return {.messages = 6LL * 2 * ((across - 1LL) * down + (down - 1LL) * across),
            .message_bytes = 8 * (5 + 1 + 1 + max_halo_depth * (4 + 6 + 6)) * lines,
            .collectives = 3,
            .collective_bytes = ranks * (calls::size_of(ElementType::doubles) + 2 * calls::size_of(ElementType::ints)),
            .compute_s = cells * cell_ns * scale() * 1e-9};
  }

  void check_ranks(int ranks) const override {
    const Dims<2> grid = rank_grid(ranks);
    check_dims("grid", grid, ranks);
    check_blocks("columns", *columns_, grid[0]);
    check_blocks("rows", *rows_, grid[1]);
  }

  void write(CallList& calls) const override {
    const calls::Block block = block_of(calls.rank(), rank_grid(calls.ranks()));
    const calls::Sides sides(calls, block);
    const auto cells = static_cast<double>(block.columns * block.rows);
    const auto compute = [&](double ns_per_cell) { calls.compute(cells * ns_per_cell); };
    compute(ideal_gas_ns);
    exchange(calls, sides, 5, 1);  // pressure, energy, density, velocities
    compute(viscosity_ns);
    exchange(calls, sides, 1, 1);  // viscosity
    compute(timestep_ns);
    calls.allreduce(calls.all_ranks(), ReduceOp::min, ElementType::doubles, 1);
    compute(predict_ns);
    allreduce_error_flag(calls);
    compute(ideal_gas_ns);
    exchange(calls, sides, 1, 1);  // pressure
    compute(correct_ns);
    allreduce_error_flag(calls);
    compute(fluxes_ns);
    exchange(calls, sides, 4, max_halo_depth);  // density, energy, volume fluxes
    compute(advect_cells_ns);
    exchange(calls, sides, 6, max_halo_depth);  // density, energy, velocities, mass fluxes
    compute(advect_both_ns);
    exchange(calls, sides, 6, max_halo_depth);
    compute(advect_momentum_ns);
  }

 private:
  Dims<2> rank_grid(int ranks) const {
    return grid_option_->chosen() ? *grid_option_ : rank_grid_for(ranks, *columns_, *rows_);
  }

  // Ranks are numbered across first.
  calls::Block block_of(int rank, const Dims<2>& grid) const {
    const int x = rank % grid[0];
    const int y = rank / grid[0];
    return {block_cells(*columns_, grid[0], x), block_cells(*rows_, grid[1], y), x > 0 ? rank - 1 : -1,
            x + 1 < grid[0] ? rank + 1 : -1,    y > 0 ? rank - grid[0] : -1,     y + 1 < grid[1] ? rank + grid[0] : -1};
  }

  // Completes the exchange across before the one down starts. Calls the wait even without neighbours.
  static void exchange(CallList& calls, const calls::Sides& sides, std::int64_t fields, std::int64_t depth) {
    const std::int64_t line = 8 * fields * depth;
    calls.wait_all(sides.post_across(calls, line * (sides.block().rows + extra_cells)));
    calls.wait_all(sides.post_down(calls, line * (sides.block().columns + extra_cells)));
  }

  static void allreduce_error_flag(CallList& calls) {
    calls.allreduce(calls.all_ranks(), ReduceOp::max, ElementType::ints, 1);
  }

  static void check_blocks(const char* parameter, std::int64_t cells, int blocks) {
    if (cells / blocks >= max_halo_depth) return;
    reject(parameter, "{} cells in {} blocks are fewer than the depth of the halo ({}); {} would fit", cells, blocks,
           max_halo_depth, max_halo_depth * blocks);
  }

  static constexpr std::int64_t max_value = 1'000'000;
  Param<std::int64_t> columns_{this, 'x', "columns", 960, "cells across the mesh", Positive{}, AtMost{max_value}};
  Param<std::int64_t> rows_{this, 'y', "rows", 960, "cells down the mesh", Positive{}, AtMost{max_value}};
  Param<Dims<2>> grid_option_{this, 'g', "grid", Dims<2>{},
                              "ranks across x down; auto: as CloverLeaf divides that mesh"};
};

const RegisterMotif<CloverLeaf> registered{"cloverleaf", Family::application,
                                           "a hydrodynamics time step on a 2-D mesh: six halos, three reductions",
                                           "CloverLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
