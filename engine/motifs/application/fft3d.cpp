// fft3d: a 3-D Fourier transform and its inverse: in slabs as in FFTW's MPI library, or in pencils on a 2-D grid of
// ranks as in P3DFFT and 2DECOMP&FFT (docs/motifs/fft3d.md).

#include <algorithm>

#include "calls/slab_transform.hpp"
#include "calls/transpose.hpp"
#include "core/grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

enum class Decomposition { slabs, pencils };

namespace {

using calls::Blocks;
using calls::CallList;
using calls::SlabTransform;
using calls::TransposeGroup;

constexpr std::int64_t point_bytes = 16;  // a double-precision complex number

// Computation per point between calls in the reference captures, in nanoseconds. Pencils transform y and z separately.
constexpr SlabTransform::Times times{.planes_ns = 6.5, .lines_ns = 12.5, .order_ns = 1.1, .copy_ns = 0.9};

class Fft3d final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    Traffic sum = *decomposition_ == Decomposition::slabs ? slabs().traffic(ranks) : traffic_of_pencils(ranks);
    if (*barrier_) ++sum.collectives;
    sum.compute_s *= scale();
    return sum;
  }

  void check_ranks(int ranks) const override {
    if (*decomposition_ == Decomposition::slabs) {
      if (grid_.was_given()) reject("grid", "slabs have no grid; use --decomposition pencils");
      return slabs().check(ranks);
    }
    for (const auto* transposed : {&transposed_in_, &transposed_out_}) {
      if (**transposed) reject(transposed->name(), "only slabs can be transposed; use --decomposition slabs");
    }
    if (calls::is_in_stages(*call_)) reject("call", "only slabs are transposed in stages; use --decomposition slabs");
    const Dims<2> grid = dims_for(*grid_, ranks);
    check_dims("grid", grid, ranks);
    check_points("nx", nx(), grid[0]);
    check_points("ny", ny(), std::max(grid[0], grid[1]));
    check_points("nz", nz(), grid[1]);
    const bool equal_blocks = ny() % grid[1] == 0 && nz() % grid[1] == 0 && nx() % grid[0] == 0 && ny() % grid[0] == 0;
    if (*call_ != TransposeCall::alltoall || equal_blocks) return;
    reject("call",
           "alltoall needs blocks of one size, which {} x {} x {} points on {} ranks do not give; use alltoallv", nx(),
           ny(), nz(), ranks);
  }

  void write(CallList& calls) const override {
    if (*barrier_) calls.barrier(calls.all_ranks());
    *decomposition_ == Decomposition::slabs ? slabs().write(calls) : write_pencils(calls);
  }

 private:
  std::int64_t nx() const { return *nx_; }
  std::int64_t ny() const { return *ny_ > 0 ? *ny_ : *nx_; }
  std::int64_t nz() const { return *nz_ > 0 ? *nz_ : *nx_; }

  SlabTransform slabs() const {
    return {nx(), ny(), nz(), calls::order_if(*transposed_in_), calls::order_if(*transposed_out_), *call_, times};
  }

  Traffic traffic_of_pencils(int ranks) const {
    Traffic sum;
    const Dims<2> grid = dims_for(*grid_, ranks);
    for (int i = 0; i < grid[0]; ++i) {
      sum.add(calls::transpose_traffic(*call_, Blocks::even(ny(), grid[1]), Blocks::even(nz(), grid[1]),
                                       point_bytes * block_cells(nx(), grid[0], i)),
              2);  // forward, backward
    }
    for (int j = 0; j < grid[1]; ++j) {
      sum.add(calls::transpose_traffic(*call_, Blocks::even(nx(), grid[0]), Blocks::even(ny(), grid[0]),
                                       point_bytes * block_cells(nz(), grid[1], j)),
              2);
    }
    const double copied_ns = *call_ == TransposeCall::pairwise ? 4 * times.copy_ns : 0;
    const double points = static_cast<double>(nx()) * static_cast<double>(ny()) * static_cast<double>(nz()) / ranks;
    sum.compute_s = points * (2 * (times.planes_ns + times.lines_ns + times.order_ns) + copied_ns) * 1e-9;
    return sum;
  }

  // Ranks of a row have the same part of x, ranks of a column the same part of z. Pencils along z turn into pencils
  // along y within a row, and those into pencils along x within a column.
  void write_pencils(CallList& calls) const {
    const auto [down, across] = dims_for(*grid_, calls.ranks()).sides;
    const int i = calls.rank() / across;
    const int j = calls.rank() % across;
    const TransposeGroup row{calls.split(i, j, across), i * across, 1};
    const TransposeGroup column{calls.split(j, i, down), j, across};
    const Blocks x = Blocks::even(nx(), down);
    const Blocks y_of_row = Blocks::even(ny(), across);
    const Blocks y_of_column = Blocks::even(ny(), down);
    const Blocks z = Blocks::even(nz(), across);
    const auto points_along_z = static_cast<double>(x[i] * y_of_row[j] * nz());
    const auto points_along_y = static_cast<double>(x[i] * ny() * z[j]);
    const auto points_along_x = static_cast<double>(nx() * y_of_column[i] * z[j]);
    calls.compute(points_along_z * times.planes_ns / 2);
    transpose_blocks(calls, row, y_of_row, z, x[i]);
    calls.compute(points_along_y * times.planes_ns / 2);
    transpose_blocks(calls, column, x, y_of_column, z[j]);
    calls.compute(points_along_x * (times.lines_ns + times.order_ns));
    calls.compute(points_along_x * times.lines_ns);
    transpose_blocks(calls, column, y_of_column, x, z[j]);
    calls.compute(points_along_y * times.planes_ns / 2);
    transpose_blocks(calls, row, z, y_of_row, x[i]);
    calls.compute(points_along_z * (times.planes_ns / 2 + times.order_ns));
  }

  // Transposes a matrix that has `points_per_element` points in each element.
  void transpose_blocks(CallList& calls, const TransposeGroup& members, const Blocks& rows, const Blocks& columns,
                        std::int64_t points_per_element) const {
    calls::transpose(calls, *call_, members, rows, columns, point_bytes * points_per_element,
                     times.copy_ns * static_cast<double>(points_per_element));
  }

  static void check_points(const char* parameter, std::int64_t points, int ranks) {
    if (points >= ranks) return;
    reject(parameter, "{} points are too few for {} ranks in that direction; {} would fit", points, ranks, ranks);
  }

  static constexpr std::int64_t max_value = 100'000;
  Param<std::int64_t> nx_{this, 'x', "nx", 160, "points in x", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 0, "points in y; 0: as in x", AtMost{max_value}};
  Param<std::int64_t> nz_{this, 'z', "nz", 0, "points in z; 0: as in x", AtMost{max_value}};
  Param<Decomposition> decomposition_{this, 'd', "decomposition", Decomposition::slabs,
                                      "how the mesh is divided among the ranks"};
  Param<Dims<2>> grid_{this, 'g', "grid", Dims<2>{}, "rows x columns of ranks, with pencils"};
  Param<bool> transposed_in_{this, "transposed-in",
                             "slabs: the mesh is transposed before the forward and after the backward transform"};
  Param<bool> transposed_out_{this, "transposed-out", "slabs: the mesh is transposed between the transforms"};
  Param<TransposeCall> call_{this, 'n', "call", TransposeCall::pairwise, "calls of a transpose"};
  Param<bool> barrier_{this, "barrier", "barrier before each iteration"};
};

const RegisterMotif<Fft3d> registered{"fft3d", Family::application,
                                      "a 3-D Fourier transform forward and backward, in slabs or pencils",
                                      "FFTW, MPI; P3DFFT"};

}  // namespace
}  // namespace stressbench
