// MG: V-cycles of a 3-D multigrid, down to two points per side; ranks without points on a level are idle there
// (NPB3.4-MPI/MG/mg.f).

#include <array>
#include <bit>
#include <vector>

#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::CommunicatorRef;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;

struct Size {
  int levels;  // the finest has 2^levels points per side
  std::int64_t iterations;
};
constexpr std::array<Size, 8> sizes{{{5, 4}, {7, 4}, {8, 4}, {8, 20}, {9, 20}, {10, 50}, {11, 50}, {12, 50}}};

// Computation per point in nanoseconds: the benchmark's operation count at 2 Gflop/s, since there is no reference
// capture.
constexpr double residual_ns = 7;
constexpr double smooth_ns = 7;
constexpr double restrict_ns = 5;
constexpr double interpolate_ns = 4;

constexpr int axes = 3;
constexpr std::array directions{-1, 1};

int largest_power_of_two(int ranks) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))); }

// Ranks along each axis: powers of two, the third the largest.
std::array<int, axes> ranks_along(int ranks) {
  const int powers = std::bit_width(static_cast<unsigned>(ranks)) - 1;
  const int x = powers / 3;
  const int y = (powers - x) / 2;
  return {1 << x, 1 << y, 1 << (powers - x - y)};
}

// A rank's part of a level, with a border of one point on each side, and its neighbours on that level.
struct Level {
  std::array<std::int64_t, axes> points{};  // along each axis; 2: none but the border
  std::array<std::array<int, 2>, axes> neighbours{};
  // This rank has no points on the next coarser level and receives them from ranks that have some.
  std::array<bool, axes> receives_coarse{};
  std::array<bool, axes> sends_coarse{};

  bool idle() const { return points[0] == 2 || points[1] == 2 || points[2] == 2; }
  double inner() const { return static_cast<double>((points[0] - 2) * (points[1] - 2) * (points[2] - 2)); }
};

std::vector<Level> levels_of(int rank, int ranks, int finest) {
  const std::array<int, axes> sides = ranks_along(ranks);
  const std::array<int, axes> position_in_grid{rank % sides[0], rank / sides[0] % sides[1],
                                               rank / (sides[0] * sides[1])};
  const std::array<int, axes> stride{1, sides[0], sides[0] * sides[1]};
  std::array<int, axes> neighbour_distance{1, 1, 1};  // distance in ranks to the nearest neighbour with points
  std::vector<Level> levels(static_cast<std::size_t>(finest) + 1);
  for (int k = finest; k >= 1; --k) {
    Level& level = levels[static_cast<std::size_t>(k)];
    const std::int64_t side = std::int64_t{1} << k;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto points_at = [&](std::int64_t position) {
        return 2 + (position + 1) * side / sides[axis] - position * side / sides[axis];
      };
      const std::int64_t own_points = points_at(position_in_grid[axis]);
      const std::int64_t next_points = points_at(position_in_grid[axis] + neighbour_distance[axis]);
      if (own_points == 2 || next_points == 2) neighbour_distance[axis] *= 2;
      if (k < finest) {
        Level& finer = levels[static_cast<std::size_t>(k) + 1];
        finer.sends_coarse[axis] = next_points == 2 && own_points == 3;
        finer.receives_coarse[axis] = next_points == 3 && own_points == 2;
      }
      level.points[axis] = own_points;
      for (std::size_t direction = 0; direction < 2; ++direction) {
        const int neighbour =
            (position_in_grid[axis] + directions[direction] * neighbour_distance[axis] + sides[axis]) % sides[axis];
        level.neighbours[axis][direction] = rank + (neighbour - position_in_grid[axis]) * stride[axis];
      }
    }
  }
  return levels;
}

class Kernel {
 public:
  Kernel(CallList& calls, const Size& size)
      : calls_(calls), ranks_(largest_power_of_two(calls.ranks())), finest_(size.levels), requests_(calls.requests(2)) {
    const bool is_active = calls.rank() < ranks_;
    active_ranks_ = calls.split(is_active ? 0 : 1, is_active ? calls.rank() : calls.rank() - ranks_,
                                is_active ? ranks_ : calls.ranks() - ranks_);
    if (is_active) levels_ = levels_of(calls.rank(), ranks_, finest_);
    const std::int64_t max_side =
        2 + (std::int64_t{1} << (finest_ - (std::bit_width(static_cast<unsigned>(ranks_)) - 1) / 3));
    buffer_bytes_ = 8 * 2 * max_side * max_side;
  }

  bool is_active() const { return calls_.rank() < ranks_; }

  void residual() const { residual(finest_); }
  void norms() const {
    calls_.allreduce(active_ranks_, ReduceOp::max, ElementType::doubles, 1);
    calls_.allreduce(active_ranks_, ReduceOp::sum, ElementType::doubles, 1);
  }
  void cycle() const {
    for (int k = finest_; k > 1; --k) {
      calls_.compute(restrict_ns * level_at(k).inner());
      exchange(k - 1);
    }
    smooth(1);
    for (int k = 2; k <= finest_; ++k) {
      calls_.compute(interpolate_ns * level_at(k).inner());
      expand(k);
      residual(k);
      smooth(k);
    }
  }

 private:
  const Level& level_at(int k) const { return levels_[static_cast<std::size_t>(k)]; }
  void residual(int k) const {
    calls_.compute(residual_ns * level_at(k).inner());
    exchange(k);
  }
  void smooth(int k) const {
    calls_.compute(smooth_ns * level_at(k).inner());
    exchange(k);
  }

  static int tag(std::size_t axis, std::size_t direction) {
    return 100 * (directions[direction] + 2 + 10 * (static_cast<int>(axis) + 1));
  }
  // A message that moves in one direction comes from the neighbour on the opposite side.
  void post(const Level& level, std::size_t axis, std::size_t direction, std::int64_t message_bytes) const {
    calls_.irecv_up_to(requests_[static_cast<int>(direction)], level.neighbours[axis][1 - direction],
                       tag(axis, direction), buffer_bytes_, message_bytes);
  }
  void send(const Level& level, std::size_t axis, std::size_t direction, std::int64_t bytes) const {
    calls_.send(level.neighbours[axis][direction], tag(axis, direction), bytes);
  }
  void wait() const {
    calls_.wait(requests_[0]);
    calls_.wait(requests_[1]);
  }

  // Exchanges borders axis by axis. Later axes include the border points that earlier ones received.
  void exchange(int k) const {
    const Level& level = level_at(k);
    if (ranks_ == 1 || level.idle()) return;
    const auto [x, y, z] = level.points;
    const std::array faces{8 * (y - 2) * (z - 2), 8 * x * (z - 2), 8 * x * y};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      post(level, axis, 0, faces[axis]);
      post(level, axis, 1, faces[axis]);
      send(level, axis, 1, faces[axis]);
      send(level, axis, 0, faces[axis]);
      wait();
    }
  }

  // Sends to ranks without points on the coarser level: two layers upwards, one downwards.
  void expand(int k) const {
    const Level& level = level_at(k);
    if (ranks_ == 1) return;
    const auto [x, y, z] = level.points;
    const std::array layers{8 * y * z, 8 * x * z, 8 * x * y};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (level.receives_coarse[axis]) {
        post(level, axis, 0, layers[axis]);
        post(level, axis, 1, 2 * layers[axis]);
        wait();
      }
      if (level.sends_coarse[axis]) {
        send(level, axis, 1, 2 * layers[axis]);
        send(level, axis, 0, layers[axis]);
      }
    }
  }

  CallList& calls_;
  int ranks_;
  int finest_;
  Requests requests_;
  CommunicatorRef active_ranks_;
  std::vector<Level> levels_;  // indexed by level; 1 is the coarsest
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace

void check_mg(ProblemClass size, int ranks) {
  const std::int64_t side = std::int64_t{1} << row_of(sizes, size).levels;
  if (ranks_along(largest_power_of_two(ranks))[2] > side) {
    reject("class", "{0} x {0} x {0} points have no point for each of {1} ranks; {2} would fit", side, ranks,
           side * side * side);
  }
}

void write_mg(CallList& calls, ProblemClass size, Extent extent) {
  const Kernel kernel(calls, row_of(sizes, size));
  if (!kernel.is_active()) return;
  const auto iterate = [&] {
    kernel.cycle();
    kernel.residual();
  };
  if (extent == Extent::iteration) return iterate();
  kernel.residual();
  kernel.norms();
  calls.repeat(row_of(sizes, size).iterations, iterate);
  kernel.norms();
}

}  // namespace stressbench::npb
