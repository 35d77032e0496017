// LU: steps of symmetric successive over-relaxation, two wavefronts through a 2-D grid of ranks (NPB3.4-MPI/LU/ssor.f).

#include <array>

#include "core/grid.hpp"
#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Request;

struct Size {
  std::int64_t side;
  std::int64_t steps;
};
constexpr std::array<Size, 8> sizes{
    {{12, 50}, {33, 300}, {64, 250}, {102, 250}, {162, 250}, {408, 300}, {1020, 300}, {2560, 300}}};
constexpr std::int64_t min_points = 3;  // points that a rank needs along each side

// Computation per point in nanoseconds: the benchmark's operation count at 2 Gflop/s, since there is no reference
// capture.
constexpr double triangle_ns = 290;
constexpr double half_right_hand_side_ns = 135;
constexpr double vectors_ns = 10;

// Message tags: the direction from which a message comes.
enum Direction { from_south = 1, from_north, from_east, from_west };

class Kernel {
 public:
  Kernel(CallList& calls, std::int64_t side) : calls_(calls), side_(side), request_(calls.requests(1)[0]) {
    const Dims<2> grid = balanced_dims<2>(calls.ranks());
    const int rank = calls.rank();
    const int row = rank % grid[0];
    const int column = rank / grid[0];
    north_ = row > 0 ? rank - 1 : -1;
    south_ = row + 1 < grid[0] ? rank + 1 : -1;
    west_ = column > 0 ? rank - grid[0] : -1;
    east_ = column + 1 < grid[1] ? rank + grid[0] : -1;
    x_ = block_cells(side, grid[0], row);
    y_ = block_cells(side, grid[1], column);
    inner_x_ = x_ - (north_ < 0 ? 1 : 0) - (south_ < 0 ? 1 : 0);
    inner_y_ = y_ - (west_ < 0 ? 1 : 0) - (east_ < 0 ? 1 : 0);
  }

  void relax() const {
    compute(vectors_ns);
    sweep(north_, from_north, west_, from_west, south_, east_);
    sweep(south_, from_south, east_, from_east, north_, west_);
    compute(vectors_ns);
  }
  void right_hand_side() const {
    shift(north_, from_north, south_, from_south, y_);
    compute(half_right_hand_side_ns);
    shift(west_, from_west, east_, from_east, x_);
    compute(half_right_hand_side_ns);
  }
  void norm() const { calls_.allreduce(calls_.all_ranks(), ReduceOp::sum, ElementType::doubles, 5); }

 private:
  void compute(double ns) const { calls_.compute(ns * static_cast<double>(x_ * y_ * side_)); }

  // Sweeps plane after plane from two sides to the other two. The outermost planes are the boundary and are skipped.
  void sweep(int x_source, Direction x_tag, int y_source, Direction y_tag, int x_target, int y_target) const {
    calls_.repeat(side_ - 2, [&] {
      calls_.receive(x_source, x_tag, 40 * inner_y_);
      calls_.receive(y_source, y_tag, 40 * inner_x_);
      calls_.compute(triangle_ns * static_cast<double>(inner_x_ * inner_y_));
      calls_.send(x_target, x_tag, 40 * inner_y_);
      calls_.send(y_target, y_tag, 40 * inner_x_);
    });
  }

  // Exchanges two layers of points, first in one direction, then in the other.
  void shift(int lower, Direction lower_tag, int upper, Direction upper_tag, std::int64_t width) const {
    const std::int64_t bytes = 80 * width * side_;
    shift_one_way(lower, upper, lower_tag, bytes);
    shift_one_way(upper, lower, upper_tag, bytes);
  }
  void shift_one_way(int from, int to, Direction tag, std::int64_t bytes) const {
    calls_.irecv(request_, from, tag, bytes);
    calls_.send(to, tag, bytes);
    if (from >= 0) calls_.wait(request_);
  }

  CallList& calls_;
  std::int64_t side_;
  Request request_;
  int north_ = -1;
  int south_ = -1;
  int west_ = -1;
  int east_ = -1;
  std::int64_t x_ = 0;
  std::int64_t y_ = 0;
  std::int64_t inner_x_ = 0;  // without the mesh's border
  std::int64_t inner_y_ = 0;
};

}  // namespace

void check_lu(ProblemClass size, int ranks) {
  const Dims<2> grid = balanced_dims<2>(ranks);
  if (grid[0] > 2 * grid[1]) {
    int fitting_ranks = ranks;
    for (Dims<2> g = grid; g[0] > 2 * g[1]; g = balanced_dims<2>(fitting_ranks)) --fitting_ranks;
    reject("benchmark", "LU needs a grid of ranks at most twice as long as wide, but {} make {}x{}; {} would fit",
           ranks, grid[0], grid[1], fitting_ranks);
  }
  const std::int64_t side = row_of(sizes, size).side;
  if (side / grid[0] < min_points) {
    reject("class", "{} points along {} ranks are fewer than {} each; at most {} ranks a side", side, grid[0],
           min_points, side / min_points);
  }
}

void write_lu(CallList& calls, ProblemClass size, Extent extent) {
  const Kernel kernel(calls, row_of(sizes, size).side);
  const auto step = [&] {
    kernel.relax();
    kernel.right_hand_side();
  };
  if (extent == Extent::iteration) return step();
  calls.repeat(row_of(sizes, size).steps - 1, step);
  kernel.relax();
  kernel.norm();
  kernel.right_hand_side();
  kernel.norm();
}

}  // namespace stressbench::npb
