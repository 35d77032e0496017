#include "motifs/application/umt/domain.hpp"

#include <algorithm>
#include <utility>

namespace stressbench::umt {
namespace {

using Position = std::array<int, 3>;

// Signs of the direction of each octant in x, y and z (rt/quadxyz.F90, rt/quadProduct.F90).
constexpr std::array<Position, octants> directions{
    {{1, 1, 1}, {-1, 1, 1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, -1}, {1, -1, -1}}};

int direction(int octant, std::size_t axis) { return directions[static_cast<std::size_t>(octant)][axis]; }

// As SweepScheduler.F90: octants that come in through many shared corners are late, and those that are also reflected
// at the border of the mesh are last. All faces of the mesh reflect (SuOlsonTest.cc) except that at the upper end of z.
SweepOrder sweep_order(const Dims<3>& zones, const Dims<3>& grid, const Position& at) {
  std::array<std::int64_t, octants> shared{};     // corners of shared faces through which the octant comes in
  std::array<std::int64_t, octants> reflected{};  // the same, times the number of reflecting faces where it comes in
  for (std::size_t octant = 0; octant < octants; ++octant) {
    int reflections = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool upwards = directions[octant][axis] > 0;
      const bool at_border = upwards ? at[axis] == 0 : at[axis] + 1 == grid[axis];
      if (!at_border) {
        shared[octant] += corners_on_face(zones, axis);
      } else if (axis != 2 || upwards) {
        ++reflections;
      }
    }
    reflected[octant] = reflections * shared[octant];
  }
  SweepOrder order{};
  std::for_each(order.rbegin(), order.rend(), [&](int& place) {
    const auto& tally = std::ranges::max(reflected) > 0 ? reflected : shared;
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(tally) - tally.begin());
    place = static_cast<int>(largest);
    shared[largest] = reflected[largest] = -1;
  });
  return order;
}

}  // namespace

std::int64_t corners_on_face(const Dims<3>& zones, std::size_t axis) noexcept {
  return std::int64_t{4} * zones[(axis + 1) % 3] * zones[(axis + 2) % 3];
}

bool Neighbour::is_sent(int octant) const noexcept { return direction(octant, axis) == side; }

Domain::Domain(const Dims<3>& zones, const Dims<3>& grid, int rank) {
  const Position at{rank / grid[2] / grid[1], rank / grid[2] % grid[1], rank % grid[2]};
  const Position strides{grid[1] * grid[2], grid[2], 1};
  order_ = sweep_order(zones, grid, at);
  using Face = std::pair<std::size_t, int>;
  for (const auto& [axis, side] : {Face{0, -1}, Face{1, -1}, Face{2, -1}, Face{2, 1}, Face{1, 1}, Face{0, 1}}) {
    Position other = at;
    other[axis] += side;
    if (other[axis] < 0 || other[axis] >= grid[axis]) continue;
    neighbours_.push_back(
        {rank + side * strides[axis], axis, side, corners_on_face(zones, axis), sweep_order(zones, grid, other)});
  }
}

}  // namespace stressbench::umt
