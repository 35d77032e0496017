// The box of zones that one rank has in UMT, the ranks that share its faces, and the order in which it sweeps octants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grid.hpp"

namespace stressbench::umt {

// Octants have the numbers 0 to 7, one less than in UMT.
inline constexpr std::size_t octants = 8;
using SweepOrder = std::array<int, octants>;

// Number of corners of zones on a face perpendicular to `axis` of a box of zones, each of which has a flux there.
std::int64_t corners_on_face(const Dims<3>& zones, std::size_t axis) noexcept;

// A rank that shares a face.
struct Neighbour {
  int rank = 0;
  std::size_t axis = 0;
  int side = 1;  // 1: where coordinates are larger; -1: where they are smaller
  std::int64_t corners = 0;
  SweepOrder order{};  // of the neighbour

  // Whether the angles of an octant leave through the face; all others come in.
  bool is_sent(int octant) const noexcept;
};

class Domain {
 public:
  // `zones` of each rank, in a `grid` of ranks that are numbered along z first.
  Domain(const Dims<3>& zones, const Dims<3>& grid, int rank);

  const SweepOrder& order() const noexcept { return order_; }
  // In ascending order of their ranks.
  const std::vector<Neighbour>& neighbours() const noexcept { return neighbours_; }

 private:
  SweepOrder order_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace stressbench::umt
