// nekbone: conjugate gradient iterations of Nekbone on a brick of spectral elements, and what precedes them
// (Nek5000/Nekbone; docs/motifs/nekbone.md).

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "calls/rank_grid.hpp"
#include "motifs/application/application.hpp"
#include "motifs/application/nekbone/shared_points.hpp"

namespace stressbench {
namespace {

using calls::Border;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;

// Computation per point of an element in the reference capture, in nanoseconds: before each of the three sums; the
// matrix product.
constexpr std::array sums_ns{1.0, 1.0, 0.69};
constexpr double matrix_ns = 9.0;
// Relative to it, before an exchange outside of the solver: the mean of geometry and right-hand side.
constexpr double outside_ns = 66;

enum class Phase { iteration, setup, exchange, start };

// Nekbone's division of a number into three factors. For each smallest factor, the other two are as close to each other
// as possible; of these triples, the one with the least ratio of largest to smallest factor, in descending order.
Dims<3> cubic_factors(int number) {
  Dims<3> best{{number, 1, 1}};
  double min_ratio = number;
  for (int third = 1; static_cast<std::int64_t>(third) * third * third <= number; ++third) {
    if (number % third != 0) continue;
    const Dims<2> others = balanced_dims<2>(number / third);
    std::array sides{others[0], others[1], third};
    std::ranges::sort(sides, std::greater{});
    // Nekbone tries larger first factors first and keeps the earlier of two equal triples, hence `<=`.
    if (static_cast<double>(sides[0]) / sides[2] <= min_ratio) {
      min_ratio = static_cast<double>(sides[0]) / sides[2];
      best.sides = sides;
    }
  }
  return best;
}

struct Neighbour {
  int rank;
  std::int64_t points;  // shared with that rank
};

// The adjacent ranks in all directions, in ascending order, each with the number of points of a face, an edge or a
// corner that it shares with `rank`.
std::vector<Neighbour> neighbours_of(int rank, const Dims<3>& ranks, const Dims<3>& elements, std::int64_t points) {
  const calls::RankGrid<3> grid(ranks, rank);
  std::vector<Neighbour> neighbours;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const std::array offset{x, y, z};
        const int other = grid.neighbour(offset, Border::closed);
        if (other < 0 || other == rank) continue;
        std::int64_t shared = 1;
        for (std::size_t k = 0; k < 3; ++k) shared *= offset[k] == 0 ? elements[k] * (points - 1) + 1 : 1;
        neighbours.push_back({other, shared});
      }
    }
  }
  return neighbours;
}

class Nekbone final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    if (grid_->chosen() && !*line_) check_dims("grid", *grid_, ranks);
    if (brick_->chosen() && brick_->ranks() != *elements_) {
      reject("brick", "{} has {} elements, but --elements is {}; {} would fit", brick_.text(), brick_->ranks(),
             *elements_, Spelling<Dims<3>>::write(cubic_factors(static_cast<int>(*elements_))));
    }
    for (const auto* option : {&grid_, &brick_}) {
      if (!*line_ || !(*option)->chosen()) continue;
      reject(option->name(), "with --line the elements are in one row");
    }
    if (*phase_ == Phase::setup && *points_ < 2) {
      reject("points", "{} on a side are shared by all elements; with --phase setup, take 2 or more", *points_);
    }
  }

  void write(CallList& calls) const override {
    const int element_count = static_cast<int>(*elements_);
    const Dims<3> ranks = *line_            ? Dims<3>{{calls.ranks(), 1, 1}}
                          : grid_->chosen() ? *grid_
                                            : cubic_factors(calls.ranks());
    const Dims<3> brick = *line_             ? Dims<3>{{element_count, 1, 1}}
                          : brick_->chosen() ? *brick_
                                             : cubic_factors(element_count);
    const auto points = static_cast<double>(*elements_ * *points_ * *points_ * *points_);
    if (*phase_ == Phase::setup) {
      nekbone::Bricks bricks{ranks, {}};
      for (std::size_t k = 0; k < 3; ++k) bricks.intervals[k] = brick[k] * (*points_ - 1);
      if (!shared_points_ || shared_points_->bricks() != bricks) shared_points_.emplace(bricks);
      return shared_points_->find(calls);
    }
    // The first iteration has no product of the last residual's search direction before it.
    for (std::size_t k = *phase_ == Phase::start ? 1 : 0; *phase_ != Phase::exchange && k < sums_ns.size(); ++k) {
      calls.compute(sums_ns[k] * points);
      calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1);
    }
    calls.compute((*phase_ == Phase::exchange ? outside_ns : matrix_ns) * points);
    exchange(calls, neighbours_of(calls.rank(), ranks, brick, *points_));
  }

 private:
  // Tags are the senders' ranks.
  static void exchange(CallList& calls, const std::vector<Neighbour>& neighbours) {
    const int count = static_cast<int>(neighbours.size());
    const Requests requests = calls.requests(2 * count);
    int k = 0;
    for (const Neighbour& other : neighbours) calls.irecv(requests[k++], other.rank, other.rank, 8 * other.points);
    for (const Neighbour& other : neighbours) calls.isend(requests[k++], other.rank, calls.rank(), 8 * other.points);
    calls.wait_all(requests);
  }

  Param<std::int64_t> elements_{this, 'e', "elements", 32, "elements of each rank (iel0)", Positive{}, AtMost{1 << 20}};
  Param<std::int64_t> points_{this,       'n',       "points", 10, "points along each side of an element (nx1)",
                              Positive{}, AtMost{64}};
  Param<Dims<3>> grid_{this, "grid", {}, "ranks in x, y and z (npx npy npz); auto: as Nekbone divides them"};
  Param<Dims<3>> brick_{this, "brick", {}, "a rank's elements in x, y and z (mx my mz); auto: as Nekbone does"};
  Param<bool> line_{this, "line", "all elements in one row (ifbrick false)"};
  Param<Phase> phase_{
      this, "phase", Phase::iteration,
      "part of the program: an iteration of the solver; finding out which points are shared; an exchange "
      "outside of the solver; its start, up to the first exchange"};

  mutable std::optional<nekbone::SharedPoints> shared_points_;  // of all ranks, found when the first one asks
};

const RegisterMotif<Nekbone> registered{"nekbone", Family::application, "conjugate gradients on spectral elements",
                                        "Nekbone"};

}  // namespace
}  // namespace stressbench
