// SP: time steps of an implicit solver of the Navier-Stokes equations, which solves scalar pentadiagonal systems along
// each axis in turn, cell by cell through the ranks and back (NPB3.4-MPI/SP/adi.f, x_solve.f, y_solve.f, z_solve.f).

#include <array>

#include "motifs/application/npb/multipartition.hpp"
#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::Requests;

constexpr std::array<SolverSize, 8> sizes{
    {{12, 100}, {36, 400}, {64, 400}, {102, 400}, {162, 400}, {408, 500}, {1020, 500}, {2560, 500}}};
constexpr int tag = 0;

// Data sent per line of points: forward, two rows, each with two coefficients of three systems and five right-hand
// sides; back, two points.
constexpr std::int64_t rows_bytes = 8 * 22;
constexpr std::int64_t solution_bytes = 8 * 2 * variables;

// Computation per point in nanoseconds, from the smallest gaps in the reference capture of class A on 4 ranks.
constexpr double right_hand_side_ns = 140;
constexpr double coefficients_ns = 21;
constexpr double eliminate_ns = 25;
constexpr double substitute_ns = 13;
constexpr double invert_ns = 2.4;
constexpr double add_ns = 6;
constexpr double step_ns =
    right_hand_side_ns + axes * (coefficients_ns + eliminate_ns + substitute_ns + invert_ns) + add_ns;

class Kernel {
 public:
  Kernel(CallList& calls, std::int64_t side)
      : calls_(calls), mesh_(calls.rank(), calls.ranks(), side), faces_(calls.requests(12)), pair_(calls.requests(2)) {}

  void step() const {
    mesh_.exchange_faces(calls_, faces_);
    compute(right_hand_side_ns, mesh_.points());
    for (std::size_t axis = 0; axis < axes; ++axis) solve(axis);
    compute(add_ns, mesh_.points());
  }

 private:
  void compute(double ns, std::int64_t points) const { calls_.compute(ns * static_cast<double>(points)); }
  std::int64_t points(std::size_t axis, int plane) const { return mesh_.cell_in(axis, plane).points(); }

  // Computes what does not depend on the messages while they are in flight.
  void solve(std::size_t axis) const {
    const int last = mesh_.planes() - 1;
    for (int plane = 0; plane <= last; ++plane) {
      if (plane > 0) post(mesh_.below(axis), rows_bytes * lines(axis, plane));
      compute(coefficients_ns, points(axis, plane));
      if (plane > 0) calls_.wait_all(pair_);
      compute(eliminate_ns, points(axis, plane));
      if (plane < last) send(mesh_.above(axis), rows_bytes * lines(axis, plane));
    }
    for (int plane = last; plane >= 0; --plane) {
      if (plane < last) {
        post(mesh_.above(axis), solution_bytes * lines(axis, plane));
        compute(invert_ns, points(axis, plane + 1));
        calls_.wait_all(pair_);
      }
      compute(substitute_ns, points(axis, plane));
      if (plane > 0) send(mesh_.below(axis), solution_bytes * lines(axis, plane));
    }
    compute(invert_ns, points(axis, 0));
  }

  // Lines of points through a cell along an axis, without those at the border of the mesh.
  std::int64_t lines(std::size_t axis, int plane) const {
    const Cell& cell = mesh_.cell_in(axis, plane);
    std::int64_t product = 1;
    for (std::size_t other = 0; other < axes; ++other) {
      if (other == axis) continue;
      const int border_points = (cell.plane[other] == 0 ? 1 : 0) + (cell.plane[other] == mesh_.planes() - 1 ? 1 : 0);
      product *= cell.sides[other] - border_points;
    }
    return product;
  }

  void post(int from, std::int64_t bytes) const { calls_.irecv(pair_[0], from, tag, bytes); }
  void send(int to, std::int64_t bytes) const { calls_.isend(pair_[1], to, tag, bytes); }

  CallList& calls_;
  Multipartition mesh_;
  Requests faces_;
  Requests pair_;  // the receive for a cell, and the send of the previous one
};

}  // namespace

void check_sp(ProblemClass size, int ranks) { check_multipartition("SP", row_of(sizes, size).side, ranks); }

void write_sp(CallList& calls, ProblemClass size, Extent extent) {
  const SolverSize& mesh = row_of(sizes, size);
  const Kernel kernel(calls, mesh.side);
  calls.repeat(mesh.steps_in(extent), [&] { kernel.step(); });
}

Traffic traffic_sp(ProblemClass size, int ranks, Extent extent) {
  const SolverSize& mesh = row_of(sizes, size);
  const std::int64_t inner_lines = (mesh.side - 2) * (mesh.side - 2);
  return multipartition_traffic(mesh, extent, ranks, inner_lines * (rows_bytes + solution_bytes), step_ns);
}

}  // namespace stressbench::npb
