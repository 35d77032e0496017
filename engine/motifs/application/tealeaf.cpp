// tealeaf: iterations of TeaLeaf's solvers of a linear heat equation in 2-D, alone or within their time step
// (UK-MAC/TeaLeaf_ref; StressBench III-A; docs/motifs/tealeaf.md).

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "calls/tealeaf_halo.hpp"
#include "core/optional_parameter.hpp"
#include "motifs/application/application.hpp"
#include "motifs/application/tealeaf_grid.hpp"

namespace stressbench {

enum class Solver { cg, jacobi, chebyshev, ppcg };

namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

constexpr std::int64_t check_interval = 10;  // iterations of Chebyshev between reductions

// Iterations of CG in a time step before the solver's own, as in TeaLeaf (tea_solve.f90) from the second step on. The
// first step of PPCG has as many as those of Chebyshev (tl_ch_cg_presteps - 1): they give estimates of eigenvalues.
constexpr std::int64_t chebyshev_cg_iterations = 24;
constexpr std::int64_t ppcg_cg_iterations = 1;

// Computation per cell between calls in the reference captures, in nanoseconds: w = A p; u and r; p.
constexpr double matrix_ns = 2.13;
constexpr double vectors_ns = 1.15;
constexpr double direction_ns = 0.56;
constexpr double jacobi_ns = 1.98;
constexpr double chebyshev_ns = 3.63;

class TeaLeaf final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    grid_.check(ranks, *columns_, *rows_, *depth_);
    if (cg_iterations_.was_given() && !begins_with_cg())
      reject("cg-iterations", "requires --step, and --solver chebyshev or ppcg");
  }

  void write(CallList& calls) const override {
    const calls::Block block = calls::tealeaf_block(calls.rank(), grid_.dims(calls.ranks()), *columns_, *rows_);
    const calls::TealeafHalo halo(calls, block);
    const SolverContext context{calls, halo, static_cast<double>(block.columns * block.rows)};
    if (!*time_step_) return solve(context);
    calls.allreduce(calls.all_ranks(), ReduceOp::min, ElementType::doubles, 1);  // length of the step
    context.exchange(2, *depth_);                                                // energy, density
    context.exchange(1, 1);                                                      // u
    context.reduce(1);
    if (*solver_ != Solver::jacobi) {
      context.reduce(1);
      context.exchange(2, 1);  // u, p
    }
    if (begins_with_cg()) {
      calls.repeat(cg_iterations(), [&] { iterate_cg(context); });
      switch_from_cg(context);
    }
    solve(context);
    context.exchange(1, 1);  // energy
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
    const auto repeat = [&](auto iteration) { context.calls.repeat(*solver_iterations_, iteration); };
    switch (*solver_) {
      case Solver::cg:
        return repeat([&] { iterate_cg(context); });
      case Solver::jacobi:
        return repeat([&] { iterate_jacobi(context); });
      case Solver::chebyshev:
        return solve_by_chebyshev(context);
      case Solver::ppcg:
        return repeat([&] { iterate_ppcg(context); });
    }
  }

  static void iterate_cg(const SolverContext& context) {
    context.compute(matrix_ns);
    context.reduce(1);
    context.compute(vectors_ns);
    context.reduce(1);
    context.compute(direction_ns);
    context.exchange(1, 1);
  }

  static void iterate_jacobi(const SolverContext& context) {
    context.compute(jacobi_ns);
    context.reduce(1);
    context.exchange(1, 1);
  }

  void iterate_ppcg(const SolverContext& context) const {
    context.compute(matrix_ns);
    context.reduce(2);
    context.compute(vectors_ns);
    smooth(context);
    context.reduce(1);
    context.compute(direction_ns);
    context.exchange(1, 1);
  }

  // PPCG's inner steps: one exchange of a halo of depth d suffices for d steps.
  void smooth(const SolverContext& context) const {
    const auto take = [&](std::int64_t steps) {
      context.exchange(2, *depth_);
      context.compute(chebyshev_ns * static_cast<double>(steps));
    };
    context.calls.repeat(inner_steps() / *depth_, [&] { take(*depth_); });
    if (inner_steps() % *depth_ > 0) take(inner_steps() % *depth_);
  }

  // In single precision as in read_input.f90, which decides whether numbers just below a fourth power count as one.
  std::int64_t inner_steps() const {
    const float fourth_root = std::sqrt(std::sqrt(static_cast<float>(*columns_ * *rows_)));
    return inner_steps_->value_or(4 * static_cast<std::int64_t>(fourth_root));
  }

  bool begins_with_cg() const { return *time_step_ && (*solver_ == Solver::chebyshev || *solver_ == Solver::ppcg); }
  std::int64_t cg_iterations() const {
    return cg_iterations_->value_or(*solver_ == Solver::ppcg ? ppcg_cg_iterations : chebyshev_cg_iterations);
  }

  // TeaLeaf prepares PPCG even for Chebyshev, for which the number of inner steps has no default.
  void switch_from_cg(const SolverContext& context) const {
    if (*solver_ == Solver::ppcg || inner_steps_->has_value()) smooth(context);
    context.reduce(1);
    context.exchange(1, 1);  // p
  }

  // Iterations are numbered; in a time step, after those of CG. The number decides which iterations reduce.
  void solve_by_chebyshev(const SolverContext& context) const {
    std::int64_t first = 1;
    std::int64_t last = *solver_iterations_;
    if (*time_step_) {
      first += cg_iterations();
      last += cg_iterations();
      context.reduce(1);
      context.compute(chebyshev_ns);
      context.exchange(1, 1);
      context.compute(chebyshev_ns);
      context.reduce(1);
      context.exchange(1, 1);
      ++first;
    }
    const std::int64_t from = std::max(first, *first_check_);
    const std::int64_t first_reduction = (from + check_interval - 1) / check_interval * check_interval;
    repeat_chebyshev(context, std::min(first_reduction - 1, last) - first + 1);
    const std::int64_t rest = last - first_reduction + 1;
    if (rest <= 0) return;
    const auto interval = [&](std::int64_t iterations) {
      context.compute(chebyshev_ns);
      context.reduce(1);
      context.exchange(1, 1);
      repeat_chebyshev(context, iterations - 1);
    };
    context.calls.repeat(rest / check_interval, [&] { interval(check_interval); });
    if (rest % check_interval > 0) interval(rest % check_interval);
  }

  static void repeat_chebyshev(const SolverContext& context, std::int64_t times) {
    context.calls.repeat(times, [&] {
      context.compute(chebyshev_ns);
      context.exchange(1, 1);
    });
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
  Param<std::optional<std::int64_t>> cg_iterations_{
      this, "cg-iterations", std::nullopt,
      "iterations of cg in a time step, before those of chebyshev (auto: 24) or ppcg (auto: 1)",
      AutoOr{Positive{}, AtMost{max_value}}};
  Param<std::int64_t> first_check_{
      this,       "first-check",    1, "chebyshev reduces in every tenth iteration of the time step, from this one on",
      Positive{}, AtMost{max_value}};
  Param<std::optional<std::int64_t>> inner_steps_{
      this, "inner-steps", std::nullopt,
      "inner steps of ppcg's preconditioner; auto: 4 x the fourth root of the cells of the mesh",
      AutoOr{Positive{}, AtMost{max_value}}};
  Param<std::int64_t> depth_{this,
                             'd',
                             "depth",
                             1,
                             "layers of the first halo of a time step, and of those of ppcg's inner steps",
                             Positive{},
                             AtMost{1000}};
  TealeafGrid grid_{this};
};

const RegisterMotif<TeaLeaf> registered{"tealeaf", Family::application,
                                        "iterations of a linear solver on a 2-D mesh, in their time step",
                                        "TeaLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
