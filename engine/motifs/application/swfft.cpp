// swfft: a 3-D Fourier transform and its inverse as SWFFT computes them: from cubes to pencils and back along each
// axis, one peer at a time (HACC's SWFFT; StressBench III-A; docs/motifs/swfft.md).

#include <array>
#include <cstdint>

#include "core/grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;

using Triple = std::array<std::int64_t, 3>;  // values in x, y and z
constexpr std::array<std::size_t, 3> axes{0, 1, 2};

// For each axis the other two, and which of them varies fastest and slowest where the pencils in a cube are numbered.
constexpr std::array<std::array<std::size_t, 2>, 3> others{{{1, 2}, {0, 2}, {0, 1}}};
constexpr std::array<std::size_t, 3> fast{1, 2, 1};
constexpr std::array<std::size_t, 3> slow{2, 0, 0};

constexpr std::int64_t point_bytes = 16;  // a double-precision complex number

// Computation per point between calls in the reference captures, in nanoseconds: packing and unpacking, from cubes to
// the pencils of each axis and back; a transform along one axis; the loops of SWFFT's test program.
constexpr std::array<double, 3> to_pencils_ns{6.5, 4.8, 3.6};
constexpr std::array<double, 3> to_cubes_ns{11.5, 5.3, 3.8};
constexpr double transform_ns = 2.8;
constexpr double initialise_ns = 1.4;
constexpr double check_spectrum_ns = 0.8;
constexpr double check_result_ns = 3.0;

// Points of a rank along each axis. `ranks`: ranks along each axis, in cubes or in the pencils of an axis.
Triple points_in(const Triple& points, const Triple& ranks) {
  return {points[0] / ranks[0], points[1] / ranks[1], points[2] / ranks[2]};
}

class Distribution3d {
 public:
  Distribution3d(const Triple& points, const Dims<3>& cubes) : points_(points), cubes_{cubes[0], cubes[1], cubes[2]} {
    for (const std::size_t axis : axes) {
      if (points[0] % cubes_[axis] != 0) return;
    }
    fits_ = true;
    for (const std::size_t axis : axes) {
      pencils_[axis] = pencils_along(axis);
      const auto [u, v] = others[axis];
      fits_ = fits_ && nests(axis, pencils_[axis]) && points[axis] % cubes_[axis] == 0 &&
              points[u] % pencils_[axis][u] == 0 && points[v] % pencils_[axis][v] == 0;
    }
  }
  bool fits() const { return fits_; }
  std::int64_t peers(std::size_t axis) const { return cubes_[axis]; }

  // Points that two ranks exchange: where a pencil along the axis crosses a cube.
  std::int64_t chunk_points(std::size_t axis) const {
    const Triple pencil = points_in(points_, pencils_[axis]);
    return pencil[others[axis][0]] * pencil[others[axis][1]] * points_in(points_, cubes_)[axis];
  }

  // The rank with the cube that contains the p-th segment of `rank`'s pencil.
  int cube_peer(std::size_t axis, int rank, std::int64_t p) const {
    const Triple pencil = points_in(points_, pencils_[axis]);
    const Triple cube = points_in(points_, cubes_);
    Triple at = pencil_of(axis, rank);
    for (const std::size_t k : others[axis]) at[k] = at[k] * pencil[k] / cube[k];
    at[axis] = p;
    return static_cast<int>((at[0] * cubes_[1] + at[1]) * cubes_[2] + at[2]);
  }

  // The rank with the pencil that contains the p-th part of `rank`'s cube.
  int pencil_peer(std::size_t axis, int rank, std::int64_t p) const {
    const Triple in_cube{rank / (cubes_[1] * cubes_[2]), rank / cubes_[2] % cubes_[1], rank % cubes_[2]};
    const std::int64_t turn = in_each(axis, fast[axis]);
    Triple at = in_cube;
    at[fast[axis]] = in_cube[fast[axis]] * turn + p % turn;
    at[slow[axis]] = in_cube[slow[axis]] * in_each(axis, slow[axis]) + p / turn;
    return rank_of(axis, at);
  }

 private:
  // Whether each pencil lies within whole cubes.
  bool nests(std::size_t axis, const Triple& pencils) const {
    const Triple pencil = points_in(points_, pencils);
    const Triple cube = points_in(points_, cubes_);
    for (const std::size_t k : others[axis]) {
      if (pencil[k] == 0 || cube[k] % pencil[k] != 0 || points_[0] % pencils[k] != 0) return false;
    }
    return true;
  }

  // The condition under which SWFFT tries the transposed grid. It differs from `nests` if the mesh is not a cube.
  bool crosses(std::size_t axis, const Triple& pencils) const {
    const auto [u, v] = others[axis];
    const Triple pencil = points_in(points_, pencils);
    const Triple cube = points_in(points_, cubes_);
    return pencil[u] > 0 && pencil[v] > 0 && cube[u] % pencil[v] == 0 && cube[v] % pencil[u] == 0;
  }

  // An as even as possible grid of pencils; if these do not nest in cubes, the same grid transposed; otherwise the grid
  // of the cubes, with their number along the axis multiplied into one of the other two.
  Triple pencils_along(std::size_t axis) const {
    const auto [u, v] = others[axis];
    const std::vector<int> even = balanced_dims(static_cast<int>(cubes_[0] * cubes_[1] * cubes_[2]), 2);
    const Triple upright = pencils(axis, even[0], even[1]);
    if (nests(axis, upright)) return upright;
    const Triple swapped = pencils(axis, even[1], even[0]);
    if (crosses(axis, upright) && nests(axis, swapped)) return swapped;
    const Triple first = pencils(axis, cubes_[u] * cubes_[axis], cubes_[v]);
    const Triple second = pencils(axis, cubes_[u], cubes_[v] * cubes_[axis]);
    const bool prefers_first =
        axis == 2 ? points_in(points_, cubes_)[0] <= points_in(points_, cubes_)[1] : cubes_[v] > cubes_[u];
    const Triple& preferred = prefers_first ? first : second;
    const Triple& other = prefers_first ? second : first;
    return nests(axis, preferred) ? preferred : other;
  }
  static Triple pencils(std::size_t axis, std::int64_t along_u, std::int64_t along_v) {
    Triple made{1, 1, 1};
    made[others[axis][0]] = along_u;
    made[others[axis][1]] = along_v;
    return made;
  }

  // Number of pencils of the axis in each cube, along k.
  std::int64_t in_each(std::size_t axis, std::size_t k) const { return pencils_[axis][k] / cubes_[k]; }

  // The position of a rank's pencil. Pencils are numbered so that neighbouring ones pass through the same cubes.
  Triple pencil_of(std::size_t axis, int rank) const {
    if (axis == 0) {
      const std::int64_t columns = in_each(0, 1);
      const std::int64_t layer = cubes_[1] * cubes_[2];
      const std::int64_t turn = rank / layer;
      const std::int64_t lowest = rank % layer;
      return {0, lowest / cubes_[2] * columns + turn % columns, lowest % cubes_[2] * in_each(0, 2) + turn / columns};
    }
    if (axis == 1) {
      const std::int64_t q = rank % pencils_[1][2];
      return {rank / pencils_[1][2], 0, q / cubes_[2] + q % cubes_[2] * in_each(1, 2)};
    }
    const std::int64_t columns = in_each(2, 1);
    const std::int64_t layer = pencils_[2][1] * in_each(2, 0);
    return {rank / layer * in_each(2, 0) + rank % cubes_[2] / columns,
            rank % layer / cubes_[2] * columns + rank % columns, 0};
  }

  // The rank of the pencil at a position: the inverse of pencil_of.
  int rank_of(std::size_t axis, const Triple& at) const {
    std::int64_t rank = 0;
    if (axis == 0) {
      const std::int64_t columns = in_each(0, 1);
      const std::int64_t rows = in_each(0, 2);
      const std::int64_t turn = at[1] % columns + at[2] % rows * columns;
      rank = turn * cubes_[1] * cubes_[2] + at[1] / columns * cubes_[2] + at[2] / rows;
    } else if (axis == 1) {
      const std::int64_t rows = in_each(1, 2);
      rank = at[0] * pencils_[1][2] + at[2] % rows * cubes_[2] + at[2] / rows;
    } else {
      const std::int64_t columns = in_each(2, 1);
      const std::int64_t rows = in_each(2, 0);
      rank =
          at[1] % columns + at[1] / columns * cubes_[2] + at[0] % rows * columns + at[0] / rows * pencils_[2][1] * rows;
    }
    return static_cast<int>(rank);
  }

  Triple points_;
  Triple cubes_;
  std::array<Triple, 3> pencils_{};
  bool fits_ = false;
};

class Swfft final : public Application {
 public:
  Traffic traffic(int ranks) const override {
    const Distribution3d parts(points(), dims_for(*grid_given_, ranks));
    const std::int64_t all = points()[0] * points()[1] * points()[2];
    double ns = 6 * transform_ns;
    for (const std::size_t axis : axes) ns += (axis == 2 ? 1 : 2) * (to_pencils_ns[axis] + to_cubes_ns[axis]);
    if (*driver_) ns += initialise_ns + check_spectrum_ns + check_result_ns;
    const std::int64_t reductions = *driver_ ? 16 : 0;
    return {.messages = ranks * (4 * parts.peers(0) + 4 * parts.peers(1) + 2 * parts.peers(2)),
            .message_bytes = 10 * point_bytes * all,
            .collectives = reductions + (*driver_ ? 3 : 0),
            .collective_bytes = reductions * calls::size_of(ElementType::doubles) * ranks,
            .compute_s = ns * static_cast<double>(all) / ranks * scale() * 1e-9};
  }

 protected:
  void check_ranks(int ranks) const override {
    const Dims<3> cubes = dims_for(*grid_given_, ranks);
    check_dims("grid", cubes, ranks);
    if (Distribution3d(points(), cubes).fits()) return;
    // Multiples of the number of ranks always fit, so the search ends.
    std::int64_t side = *ngx_ + 1;
    while (!Distribution3d({side, side, side}, cubes).fits()) ++side;
    reject("ngx",
           "{} x {} x {} points do not divide into cubes and pencils for {} ranks; {} in each direction would fit",
           points()[0], points()[1], points()[2], ranks, side);
  }

  void write(CallList& calls) const override {
    const Transform transform{calls, Distribution3d(points(), dims_for(*grid_given_, calls.ranks())), calls.requests(2),
                              static_cast<double>(points()[0] * points()[1] * points()[2]) / calls.ranks()};
    if (*driver_) {
      calls.barrier(calls.all_ranks());
      transform.compute(initialise_ns);
    }
    transform.forward();
    if (*driver_) {
      report(calls);
      transform.compute(check_spectrum_ns);
      agree_on_range(calls);
    }
    transform.backward();
    if (*driver_) {
      report(calls);
      transform.compute(check_result_ns);
      agree_on_range(calls);
    }
  }

 private:
  Triple points() const { return {*ngx_, *ngy_ > 0 ? *ngy_ : *ngx_, *ngz_ > 0 ? *ngz_ : *ngx_}; }

  enum class To { pencils, cubes };
  struct Transform {
    CallList& calls;
    Distribution3d parts;
    Requests requests;
    double points;  // per rank

    void compute(double ns_a_point) const { calls.compute(points * ns_a_point); }

    void forward() const {
      redistribute(0, To::pencils);
      compute(transform_ns);
      redistribute(0, To::cubes);
      redistribute(1, To::pencils);
      compute(transform_ns);
      redistribute(1, To::cubes);
      redistribute(2, To::pencils);
      compute(transform_ns);
    }
    void backward() const {
      compute(transform_ns);
      redistribute(2, To::cubes);
      redistribute(1, To::pencils);
      compute(transform_ns);
      redistribute(1, To::cubes);
      redistribute(0, To::pencils);
      compute(transform_ns);
      redistribute(0, To::cubes);
    }

    // One peer after the other, including this rank: pack, receive and send, unpack.
    void redistribute(std::size_t axis, To to) const {
      const std::int64_t chunk = parts.chunk_points(axis);
      const double ns = (to == To::pencils ? to_pencils_ns : to_cubes_ns)[axis] / 2;
      for (std::int64_t p = 0; p < parts.peers(axis); ++p) {
        const int cube = parts.cube_peer(axis, calls.rank(), p);
        const int pencil = parts.pencil_peer(axis, calls.rank(), p);
        calls.compute(static_cast<double>(chunk) * ns);
        calls.irecv(requests[0], to == To::pencils ? cube : pencil, 0, point_bytes * chunk);
        calls.isend(requests[1], to == To::pencils ? pencil : cube, 0, point_bytes * chunk);
        calls.wait(requests[0]);
        calls.wait(requests[1]);
        calls.compute(static_cast<double>(chunk) * ns);
      }
    }
  };

  // The reductions of the times, and of the values, that the test program prints.
  static void report(CallList& calls) {
    reduce(calls, {ReduceOp::max, ReduceOp::min, ReduceOp::sum, ReduceOp::sum});
    calls.barrier(calls.all_ranks());
  }
  static void agree_on_range(CallList& calls) {
    reduce(calls, {ReduceOp::min, ReduceOp::max, ReduceOp::min, ReduceOp::max});
  }
  static void reduce(CallList& calls, const std::array<ReduceOp, 4>& operations) {
    for (const ReduceOp operation : operations) calls.allreduce(calls.all_ranks(), operation, ElementType::doubles, 1);
  }

  static constexpr std::int64_t most = 100'000;
  Param<std::int64_t> ngx_{this, 'x', "ngx", 160, "points of the whole mesh in x", Positive{}, AtMost{most}};
  Param<std::int64_t> ngy_{this, 'y', "ngy", 0, "points in y; 0: as in x", AtMost{most}};
  Param<std::int64_t> ngz_{this, 'z', "ngz", 0, "points in z; 0: as in x", AtMost{most}};
  Param<Dims<3>> grid_given_{this, 'g', "grid", Dims<3>{}, "cubes in x, y and z; auto: as even as possible"};
  Param<bool> driver_{this, "driver", "include the barriers, reductions and loops of SWFFT's test program"};
};

const RegisterMotif<Swfft> registered{"swfft", Family::application,
                                      "a 3-D Fourier transform forward and backward, redistributed one peer at a time",
                                      "SWFFT of HACC; StressBench III-A"};

}  // namespace
}  // namespace stressbench
