#include "motifs/application/npb/multipartition.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/grid.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::Requests;

constexpr std::int64_t min_points = 3;  // points that a cell needs along each side
constexpr std::int64_t layers_bytes_per_point = 2 * 8 * variables;

}  // namespace

int planes_of(int ranks) { return static_cast<int>(std::sqrt(static_cast<double>(ranks))); }

void check_multipartition(const char* benchmark, std::int64_t side, int ranks) {
  const std::int64_t planes = planes_of(ranks);
  const std::int64_t max_planes = side / min_points;
  if (planes * planes != ranks) {
    const std::int64_t fitting_planes = std::min(planes, max_planes);
    reject("benchmark", "{} runs on a square number of ranks, but the job has {}; {} would fit", benchmark, ranks,
           fitting_planes * fitting_planes);
  }
  if (planes > max_planes) {
    reject("class", "{} points along {} cells are fewer than {} each; at most {} ranks", side, planes, min_points,
           max_planes * max_planes);
  }
}

Traffic multipartition_traffic(const SolverSize& size, Extent extent, int ranks, std::int64_t bytes_between,
                               double step_ns) {
  const std::int64_t steps = size.steps_in(extent);
  const std::int64_t plane_points = size.side * size.side;
  const auto points = static_cast<double>(plane_points * size.side);
  Traffic sum{.compute_s = static_cast<double>(steps) * step_ns * 1e-9 * points / ranks};
  const std::int64_t borders = static_cast<std::int64_t>(axes) * (planes_of(ranks) - 1);  // between planes of cells
  if (borders == 0) return sum;
  const std::int64_t faces = 2 * static_cast<std::int64_t>(axes) * ranks;
  sum.messages = steps * (faces + 2 * borders * ranks);
  sum.message_bytes = steps * borders * (2 * layers_bytes_per_point * plane_points + bytes_between);
  return sum;
}

Multipartition::Multipartition(int rank, int ranks, std::int64_t side) {
  const int p = planes_of(ranks);
  const int x = rank % p;
  const int y = rank / p;
  const auto rank_at = [p](int column, int row) { return (column + p) % p + (row + p) % p * p; };
  above_ = {rank_at(x + 1, y), rank_at(x, y + 1), rank_at(x - 1, y + 1)};
  below_ = {rank_at(x - 1, y), rank_at(x, y - 1), rank_at(x + 1, y - 1)};
  for (int z = 0; z < p; ++z) {
    Cell cell{{(x + z) % p, (y - z + p) % p, z}, {}};
    for (std::size_t axis = 0; axis < axes; ++axis) cell.sides[axis] = block_cells(side, p, cell.plane[axis]);
    cells_.push_back(cell);
  }
}

const Cell& Multipartition::cell_in(std::size_t axis, int plane) const noexcept {
  const int p = planes();
  const std::array<int, axes>& first = cells_[0].plane;
  const std::array z{(plane - first[0] + p) % p, (first[1] - plane + p) % p, plane};
  return cells_[static_cast<std::size_t>(z[axis])];
}

std::int64_t Multipartition::points() const noexcept {
  std::int64_t sum = 0;
  for (const Cell& cell : cells_) sum += cell.points();
  return sum;
}

// Bytes of two layers of all cells but the one in a plane, which lies at the border of the mesh.
std::int64_t Multipartition::layers_bytes(std::size_t axis, int plane_without) const {
  std::int64_t points = 0;
  for (const Cell& cell : cells_) {
    if (cell.plane[axis] != plane_without) points += cell.points() / cell.sides[axis];
  }
  return layers_bytes_per_point * points;
}

void Multipartition::exchange_faces(CallList& calls, Requests twelve) const {
  const int p = planes();
  if (p == 1) return;
  int k = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    calls.irecv(twelve[k++], above(axis), lower_tags[axis], layers_bytes(axis, p - 1));
    calls.irecv(twelve[k++], below(axis), upper_tags[axis], layers_bytes(axis, 0));
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    calls.isend(twelve[k++], above(axis), upper_tags[axis], layers_bytes(axis, p - 1));
    calls.isend(twelve[k++], below(axis), lower_tags[axis], layers_bytes(axis, 0));
  }
  calls.wait_all(twelve);
}

}  // namespace stressbench::npb
