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

constexpr std::int64_t chebyshev_check = 10;  // iterations between reductions

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
    const Part part{calls, halo, static_cast<double>(block.columns * block.rows)};
    if (*step_) {
      halo.exchange(calls, 2, *depth_);  // energy, density
      halo.exchange(calls, 1, *depth_);  // u
      part.reduce(1);
      part.reduce(1);
      halo.exchange(calls, 2, *depth_);  // u, p
    }
    solve(part);
    if (*step_) halo.exchange(calls, 1, *depth_);  // energy
  }

 private:
  // What the solvers need to write their calls.
  struct Part {
    CallList& calls;
    const calls::TealeafHalo& halo;
    double cells;

    void compute(double ns_a_cell) const { calls.compute(cells * ns_a_cell); }
    void reduce(std::int64_t doubles) const {
      calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, doubles);
    }
    void exchange(std::int64_t fields, std::int64_t depth) const { halo.exchange(calls, fields, depth); }
  };

  void solve(const Part& part) const {
    if (*solver_ == Solver::chebyshev) {
      part.calls.repeat(*count_ / chebyshev_check, [&] {
        part.calls.repeat(chebyshev_check, [&] { iterate(part); });
        part.reduce(1);
      });
      part.calls.repeat(*count_ % chebyshev_check, [&] { iterate(part); });
    } else {
      part.calls.repeat(*count_, [&] { iterate(part); });
    }
  }

  void iterate(const Part& part) const {
    switch (*solver_) {
      case Solver::cg:
        part.compute(matrix_ns);
        part.reduce(1);
        part.compute(vectors_ns);
        part.reduce(1);
        part.compute(direction_ns);
        return part.exchange(1, 1);
      case Solver::jacobi:
        part.compute(jacobi_ns);
        part.reduce(1);
        return part.exchange(1, 1);
      case Solver::chebyshev:
        part.compute(chebyshev_ns);
        return part.exchange(1, 1);
      case Solver::ppcg:
        part.compute(matrix_ns);
        part.reduce(2);
        part.compute(vectors_ns);
        smooth(part);
        part.reduce(1);
        part.compute(direction_ns);
        return part.exchange(1, 1);
    }
  }

  // PPCG's inner steps: one exchange of a halo of depth d suffices for d steps.
  void smooth(const Part& part) const {
    for (std::int64_t inner = 0; inner < *inner_; inner += *depth_) {
      part.exchange(2, *depth_);
      part.compute(chebyshev_ns * static_cast<double>(std::min(*depth_, *inner_ - inner)));
    }
  }

  void check_blocks(const char* parameter, std::int64_t cells, int blocks) const {
    if (cells / blocks >= *depth_) return;
    reject(parameter, "{} cells in {} blocks are fewer than the depth of the halo ({})", cells, blocks, *depth_);
  }

  static constexpr std::int64_t most = std::numeric_limits<int>::max();
  Param<std::int64_t> columns_{this, 'x', "columns", 4000, "cells across the mesh", Positive{}, AtMost{most}};
  Param<std::int64_t> rows_{this, 'y', "rows", 4000, "cells down the mesh", Positive{}, AtMost{most}};
  Param<Solver> solver_{this, "solver", Solver::cg, "solver of the linear system"};
  Param<std::int64_t> count_{
      this, 'n', "solver-iterations", 1, "of the solver, in each iteration of the motif", Positive{}, AtMost{most}};
  Param<bool> step_{this, "step", "include the rest of the time step around the solver's loop"};
  Param<std::int64_t> inner_{this, "inner-steps", 10, "inner steps of ppcg's preconditioner", Positive{}, AtMost{most}};
  Param<std::int64_t> depth_{
      this,       'd',         "depth", 1, "layers of the halos of the time step and of ppcg's inner steps",
      Positive{}, AtMost{1000}};
};

const RegisterMotif<TeaLeaf> registered{"tealeaf", Family::application,
                                        "iterations of a linear solver on a 2-D mesh, in their time step",
                                        "TeaLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
