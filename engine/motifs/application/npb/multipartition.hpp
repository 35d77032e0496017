// Decomposition of BT and SP: a mesh cut into p x p x p cells for p^2 ranks, each of which has one cell in every plane
// of cells along every axis (NPB3.4-MPI/BT/make_set.f; SP's is the same).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {

inline constexpr std::size_t axes = 3;
inline constexpr std::int64_t variables = 5;  // of a point, doubles

// Message tags: the lower and the upper side of each axis.
inline constexpr std::array lower_tags{3000, 5000, 6000};  // west, south, bottom
inline constexpr std::array upper_tags{2000, 4000, 7000};  // east, north, top

struct SolverSize {
  std::int64_t side;  // points along each axis of the mesh
  std::int64_t steps;

  std::int64_t steps_in(Extent extent) const noexcept { return extent == Extent::run ? steps : 1; }
};

struct Cell {
  std::array<int, axes> plane{};  // position along each axis
  std::array<std::int64_t, axes> sides{};

  std::int64_t points() const noexcept { return sides[0] * sides[1] * sides[2]; }
};

class Multipartition {
 public:
  // A mesh of side^3 points. `ranks` is a square.
  Multipartition(int rank, int ranks, std::int64_t side);

  // Planes of cells along each axis, and thereby cells of a rank.
  int planes() const noexcept { return static_cast<int>(cells_.size()); }
  const Cell& cell_in(std::size_t axis, int plane) const noexcept;
  std::int64_t points() const noexcept;
  // The rank that has the cells above, or below, those of this rank along an axis.
  int above(std::size_t axis) const noexcept { return above_[axis]; }
  int below(std::size_t axis) const noexcept { return below_[axis]; }

  // Adds the exchange of two layers of points with the cells on all six sides (copy_faces.f).
  void exchange_faces(calls::CallList& calls, calls::Requests twelve) const;

 private:
  std::int64_t layers_bytes(std::size_t axis, int plane_without) const;

  std::vector<Cell> cells_;  // by plane along the third axis
  std::array<int, axes> above_{};
  std::array<int, axes> below_{};
};

// Planes of cells along each axis for this number of ranks, the largest whose square is not larger.
int planes_of(int ranks);

// Sums over the call lists of all ranks, without writing them: with 10^5 ranks, each has thousands of messages.
// `bytes_between`: sent between two neighbouring planes of cells in a step, forward and back, besides the faces.
// `step_ns`: computation per point in a step.
Traffic multipartition_traffic(const SolverSize& size, Extent extent, int ranks, std::int64_t bytes_between,
                               double step_ns);

// Throws ParameterMistake unless the number of ranks is a square and every cell has 3 points or more along each side.
void check_multipartition(const char* benchmark, std::int64_t side, int ranks);

}  // namespace stressbench::npb
