// BT: time steps of an implicit solver of the Navier-Stokes equations, which solves block-tridiagonal systems along
// each axis in turn, cell by cell through the ranks and back (NPB3.4-MPI/BT/adi.f, x_solve.f, y_solve.f, z_solve.f).

#include <array>

#include "motifs/application/npb/multipartition.hpp"
#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::Request;
using calls::Requests;

constexpr std::array<SolverSize, 8> sizes{
    {{12, 60}, {24, 200}, {64, 200}, {102, 200}, {162, 200}, {408, 250}, {1020, 250}, {2560, 250}}};

// Computation per point in nanoseconds, from the smallest gaps in the reference capture of class A on 4 ranks.
constexpr double right_hand_side_ns = 125;
constexpr double eliminate_ns = 270;
constexpr double substitute_ns = 20;
constexpr double add_ns = 7;
constexpr double step_ns = right_hand_side_ns + axes * (eliminate_ns + substitute_ns) + add_ns;

// Messages between cells. Their length does not depend on the size of a cell: it is that for one point more than the
// smallest cell has along each side.
struct Messages {
  std::int64_t rows_bytes;  // a block of the matrix and a right-hand side of each line
  std::int64_t solution_bytes;
  Messages(std::int64_t side, int planes) {
    const std::int64_t face_side = side / planes + 1;
    solution_bytes = 8 * variables * face_side * face_side;
    rows_bytes = (variables + 1) * solution_bytes;
  }
};

class Kernel {
 public:
  Kernel(CallList& calls, std::int64_t side)
      : calls_(calls),
        mesh_(calls.rank(), calls.ranks(), side),
        messages_(side, mesh_.planes()),
        faces_(calls.requests(12)),
        pair_(calls.requests(2)) {}

  void step() const {
    mesh_.exchange_faces(calls_, faces_);
    compute(right_hand_side_ns, mesh_.points());
    for (std::size_t axis = 0; axis < axes; ++axis) solve(axis);
    compute(add_ns, mesh_.points());
  }

 private:
  void compute(double ns, std::int64_t points) const { calls_.compute(ns * static_cast<double>(points)); }

  void solve(std::size_t axis) const {
    const int last = mesh_.planes() - 1;
    for (int plane = 0; plane <= last; ++plane) {
      const int tag = lower_tags[axis] + cell_number(axis, plane);
      if (plane > 0) receive(mesh_.below(axis), tag, messages_.rows_bytes);
      compute(eliminate_ns, mesh_.cell_in(axis, plane).points());
      if (plane < last) send(mesh_.above(axis), tag, messages_.rows_bytes);
    }
    for (int plane = last; plane >= 0; --plane) {
      const int tag = upper_tags[axis] + cell_number(axis, plane);
      if (plane < last) receive(mesh_.above(axis), tag, messages_.solution_bytes);
      compute(substitute_ns, mesh_.cell_in(axis, plane).points());
      if (plane > 0) send(mesh_.below(axis), tag, messages_.solution_bytes);
    }
  }

  // A number for the line of cells along an axis.
  int cell_number(std::size_t axis, int plane) const {
    const std::array<int, axes>& at = mesh_.cell_in(axis, plane).plane;
    return at[axis == 0 ? 1 : 0] + at[axis == 2 ? 1 : 2] * mesh_.planes();
  }

  // Also completes the send of the previous cell.
  void receive(int from, int tag, std::int64_t bytes) const {
    calls_.irecv(received(), from, tag, bytes);
    calls_.wait(sent());
    calls_.wait(received());
  }
  void send(int to, int tag, std::int64_t bytes) const { calls_.isend(sent(), to, tag, bytes); }
  Request sent() const { return pair_[0]; }
  Request received() const { return pair_[1]; }

  CallList& calls_;
  Multipartition mesh_;
  Messages messages_;
  Requests faces_;
  Requests pair_;
};

}  // namespace

void check_bt(ProblemClass size, int ranks) { check_multipartition("BT", row_of(sizes, size).side, ranks); }

void write_bt(CallList& calls, ProblemClass size, Extent extent) {
  const SolverSize& mesh = row_of(sizes, size);
  const Kernel kernel(calls, mesh.side);
  calls.repeat(mesh.steps_in(extent), [&] { kernel.step(); });
}

Traffic traffic_bt(ProblemClass size, int ranks, Extent extent) {
  const SolverSize& mesh = row_of(sizes, size);
  const Messages messages(mesh.side, planes_of(ranks));
  return multipartition_traffic(mesh, extent, ranks, ranks * (messages.rows_bytes + messages.solution_bytes), step_ns);
}

}  // namespace stressbench::npb
