// amg: iterations of a Krylov solver, preconditioned with a V-cycle of algebraic multigrid (LLNL/AMG;
// docs/motifs/amg.md).

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "motifs/application/amg/cycle.hpp"
#include "motifs/application/amg/problem.hpp"
#include "motifs/application/amg/table.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace amg {

// Problem 1: conjugate gradients. Problem 2: generalized minimal residuals.
enum class Solver { cg, gmres };

}  // namespace amg

namespace {

using amg::Cycle;
using amg::Hierarchy;
using amg::Solver;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

// Computation per point of the finest level in the reference capture, in nanoseconds: the vectors of the conjugate
// gradients before the matrix product, the first sum, the V-cycle and the last two sums.
constexpr double direction_ns = 0.8;
constexpr double product_ns = 1.5;
constexpr double update_ns = 1.4;
constexpr double residual_ns = 2.8;
constexpr double norm_ns = 0.65;
constexpr double conjugate_gradients_ns = direction_ns + product_ns + update_ns + residual_ns + norm_ns;

class Amg final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const std::shared_ptr<const Hierarchy> hierarchy = hierarchy_on(ranks);
    Traffic sum = amg::traffic_of_cycle(*hierarchy, ranks);
    sum.collectives += reductions();
    sum.collective_bytes += reductions() * 8 * ranks;
    double points = 0;
    for (int rank = 0; rank < ranks; ++rank) points += static_cast<double>(hierarchy->points(0, rank));
    sum.compute_s = (sum.compute_s + vectors_ns() * 1e-9 * points / ranks) * scale();
    return sum;
  }

  void check_ranks(int ranks) const override {
    if (grid_->chosen()) check_dims("grid", *grid_, ranks);
    constexpr double most_points = std::numeric_limits<int>::max();
    if (std::accumulate(points_->sides.begin(), points_->sides.end(), 1.0, std::multiplies<>()) > most_points)
      reject("points", "{} are too many: at most {:.0f} on a rank", points_.text(), most_points);
    for (const Parameter* option :
         {static_cast<const Parameter*>(&basis_), static_cast<const Parameter*>(&time_step_)}) {
      if (option->was_given() && *solver_ != Solver::gmres) reject(option->name(), "requires --solver gmres");
    }
    table_.clear();
    if (!file_->empty()) hierarchy_on(ranks);
  }

  void write(CallList& calls) const override {
    const std::shared_ptr<const Hierarchy> hierarchy = hierarchy_on(calls.ranks());
    const Cycle cycle(calls, *hierarchy);
    if (*solver_ == Solver::cg) {
      write_conjugate_gradients(calls, cycle);
    } else {
      write_minimal_residuals(calls, cycle);
    }
  }

 private:
  static void sum(CallList& calls) { calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1); }

  static void write_conjugate_gradients(CallList& calls, const Cycle& cycle) {
    const double points = cycle.points();
    calls.compute(direction_ns * points);
    cycle.multiply(calls);
    calls.compute(product_ns * points);
    sum(calls);
    calls.compute(update_ns * points);
    cycle.write(calls);
    calls.compute(residual_ns * points);
    sum(calls);
    calls.compute(norm_ns * points);
    sum(calls);
  }

  // The new vector is made orthogonal to those of the basis, one after the other, and normalised.
  void write_minimal_residuals(CallList& calls, const Cycle& cycle) const {
    cycle.write(calls);
    cycle.multiply(calls);
    for (std::int64_t k = 0; k < reductions(); ++k) {
      calls.compute(product_ns * cycle.points());
      sum(calls);
    }
  }

  std::int64_t reductions() const { return *solver_ == Solver::cg ? 3 : *basis_ + 1; }
  double vectors_ns() const {
    return *solver_ == Solver::cg ? conjugate_gradients_ns : product_ns * static_cast<double>(reductions());
  }

  // The levels of the file in --levels, otherwise those that follow from the problem.
  std::shared_ptr<const Hierarchy> hierarchy_on(int ranks) const {
    const Dims<3> grid = dims_for(*grid_, ranks);
    if (file_->empty()) return amg::hierarchy_of({*points_, grid, diagonal()});
    if (table_.empty()) table_ = amg::read_table(*file_);
    return std::make_shared<amg::Table>(table_, *file_, ranks, amg::Lattice(*points_, grid));
  }

  // The diagonal of the finest matrix, as in AMG's test/amg.c.
  double diagonal() const {
    if (*solver_ == Solver::gmres) {
      double diagonal = 26.5;
      for (std::int64_t step = 1; step < *time_step_; ++step) diagonal -= 0.1;
      return diagonal;
    }
    const auto flat = std::ranges::count(points_->sides, 1);
    return flat == 0 ? 26 : flat == 1 ? 8 : 2;
  }

  Param<Dims<3>> points_{this, 'n', "points", {{10, 10, 10}}, "points of each rank in x, y and z (-n)", GivenSides{}};
  Param<Dims<3>> grid_{this, 'P', "grid", {}, "ranks in x, y and z (-P); auto: as even as possible"};
  Param<Solver> solver_{this, "solver", Solver::cg, "cg: problem 1; gmres: problem 2"};
  Param<std::int64_t> basis_{
      this, "basis", 6, "vectors of the basis to which gmres makes a new one orthogonal", Positive{}, AtMost{1000}};
  Param<std::int64_t> time_step_{this,       "time-step", 1, "time step of gmres, each with another matrix",
                                 Positive{}, AtMost{6}};
  Param<std::string> file_{this, "levels", "", "file with the neighbours and message sizes of the levels"};

  mutable std::string table_;  // contents of the --levels file, read once
};

const RegisterMotif<Amg> registered{"amg", Family::application,
                                    "conjugate gradients or GMRES with an algebraic multigrid", "AMG (hypre)"};

}  // namespace
}  // namespace stressbench
