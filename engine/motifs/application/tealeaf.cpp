// tealeaf: iterations of TeaLeaf's solvers of a linear heat equation in 2-D, alone or within their time step
// (UK-MAC/TeaLeaf_ref; StressBench III-A; docs/motifs/tealeaf.md).

#include <algorithm>
#include <limits>

#include "calls/tealeaf_halo.hpp"
#include "core/grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

enum class Solver { cg, jacobi, chebyshev, ppcg };

namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

constexpr std::int64_t chebyshev_check_interval = 10;  // iterations between reductions

// Computation per cell between calls in the reference captures, in nanoseconds: w = A p; u and r; p.
constexpr double matrix_ns = 2.13;
constexpr double vectors_ns = 1.15;
constexpr double direction_ns = 0.56;
constexpr double jacobi_ns = 1.98;
constexpr double chebyshev_ns = 3.63;

class TeaLeaf final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    const Dims<2> grid = balanced_dims<2>(ranks);
    check_blocks("columns", *columns_, grid[0]);
    check_blocks("rows", *rows_, grid[1]);
  }

  void write(CallList& calls) const override {
    const calls::Block block = calls::tealeaf_block(calls.rank(), balanced_dims<2>(calls.ranks()), *columns_, *rows_);
    const calls::TealeafHalo halo(calls, block);
    const SolverContext context{calls, halo, static_cast<double>(block.columns * block.rows)};
    if (*time_step_) {
      halo.exchange(calls, 2, *depth_);  // energy, density
      halo.exchange(calls, 1, *depth_);  // u
      context.reduce(1);
      context.reduce(1);
      halo.exchange(calls, 2, *depth_);  // u, p
    }
    solve(context);
    if (*time_step_) halo.exchange(calls, 1, *depth_);  // energy
  }

 private:
  // What the solvers need to write their calls.
  struct SolverContext {
    CallList& calls;
    const calls::TealeafHalo& halo;
    double cells;

    void compute(double ns_per_cell) const { calls.compute(cells * ns_per_cell); }
    void reduce(std::int64_t doubles) const {
      calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, doubles);
    }
    void exchange(std::int64_t fields, std::int64_t depth) const { halo.exchange(calls, fields, depth); }
  };

  void solve(const SolverContext& context) const {
    if (*solver_ == Solver::chebyshev) {
      context.calls.repeat(*solver_iterations_ / chebyshev_check_interval, [&] {
        context.calls.repeat(chebyshev_check_interval, [&] { iterate(context); });
        context.reduce(1);
      });
      context.calls.repeat(*solver_iterations_ % chebyshev_check_interval, [&] { iterate(context); });
    } else {
      context.calls.repeat(*solver_iterations_, [&] { iterate(context); });
    }
  }

  void iterate(const SolverContext& context) const {
    switch (*solver_) {
      case Solver::cg:
        context.compute(matrix_ns);
        context.reduce(1);
        context.compute(vectors_ns);
        context.reduce(1);
        context.compute(direction_ns);
        return context.exchange(1, 1);
      case Solver::jacobi:
        context.compute(jacobi_ns);
        context.reduce(1);
        return context.exchange(1, 1);
      case Solver::chebyshev:
        context.compute(chebyshev_ns);
        return context.exchange(1, 1);
      case Solver::ppcg:
        context.compute(matrix_ns);
        context.reduce(2);
        context.compute(vectors_ns);
        smooth(context);
        context.reduce(1);
        context.compute(direction_ns);
        return context.exchange(1, 1);
    }
  }

  // PPCG's inner steps: one exchange of a halo of depth d suffices for d steps.
  void smooth(const SolverContext& context) const {
    for (std::int64_t inner = 0; inner < *inner_steps_; inner += *depth_) {
      context.exchange(2, *depth_);
      context.compute(chebyshev_ns * static_cast<double>(std::min(*depth_, *inner_steps_ - inner)));
    }
  }

  void check_blocks(const char* parameter, std::int64_t cells, int blocks) const {
    if (cells / blocks >= *depth_) return;
    reject(parameter, "{} cells in {} blocks are fewer than the depth of the halo ({})", cells, blocks, *depth_);
  }

  static constexpr std::int64_t max_value = std::numeric_limits<int>::max();
  Param<std::int64_t> columns_{this, 'x', "columns", 4000, "cells across the mesh", Positive{}, AtMost{max_value}};
  Param<std::int64_t> rows_{this, 'y', "rows", 4000, "cells down the mesh", Positive{}, AtMost{max_value}};
  Param<Solver> solver_{this, "solver", Solver::cg, "solver of the linear system"};
  Param<std::int64_t> solver_iterations_{this,
                                         'n',
                                         "solver-iterations",
                                         1,
                                         "of the solver, in each iteration of the motif",
                                         Positive{},
                                         AtMost{max_value}};
  Param<bool> time_step_{this, "step", "include the rest of the time step around the solver's loop"};
  Param<std::int64_t> inner_steps_{this,       "inner-steps",    10, "inner steps of ppcg's preconditioner",
                                   Positive{}, AtMost{max_value}};
  Param<std::int64_t> depth_{
      this,       'd',         "depth", 1, "layers of the halos of the time step and of ppcg's inner steps",
      Positive{}, AtMost{1000}};
};

const RegisterMotif<TeaLeaf> registered{"tealeaf", Family::application,
                                        "iterations of a linear solver on a 2-D mesh, in their time step",
                                        "TeaLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
