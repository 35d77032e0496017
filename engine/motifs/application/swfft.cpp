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
constexpr std::array<std::array<std::size_t, 2>, 3> other_axes{{{1, 2}, {0, 2}, {0, 1}}};
constexpr std::array<std::size_t, 3> fastest_axis{1, 2, 1};
constexpr std::array<std::size_t, 3> slowest_axis{2, 0, 0};

constexpr std::int64_t point_bytes = 16;  // a double-precision complex number
constexpr std::int64_t stages = 8;        // of a direction: five redistributions, three transforms along an axis

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
      const auto [u, v] = other_axes[axis];
      fits_ = fits_ && pencils_fit_cubes(axis, pencils_[axis]) && points[axis] % cubes_[axis] == 0 &&
              points[u] % pencils_[axis][u] == 0 && points[v] % pencils_[axis][v] == 0;
    }
  }
  bool fits() const { return fits_; }
  std::int64_t peers(std::size_t axis) const { return cubes_[axis]; }

  // Points that two ranks exchange: where a pencil along the axis crosses a cube.
  std::int64_t chunk_points(std::size_t axis) const {
    const Triple pencil = points_in(points_, pencils_[axis]);
    return pencil[other_axes[axis][0]] * pencil[other_axes[axis][1]] * points_in(points_, cubes_)[axis];
  }

  // The rank with the cube that contains the p-th segment of `rank`'s pencil.
  int cube_peer(std::size_t axis, int rank, std::int64_t p) const {
    const Triple pencil = points_in(points_, pencils_[axis]);
    const Triple cube = points_in(points_, cubes_);
    Triple position = pencil_of(axis, rank);
    for (const std::size_t k : other_axes[axis]) position[k] = position[k] * pencil[k] / cube[k];
    position[axis] = p;
    return static_cast<int>((position[0] * cubes_[1] + position[1]) * cubes_[2] + position[2]);
  }

  // The rank with the pencil that contains the p-th part of `rank`'s cube.
  int pencil_peer(std::size_t axis, int rank, std::int64_t p) const {
    const Triple in_cube{rank / (cubes_[1] * cubes_[2]), rank / cubes_[2] % cubes_[1], rank % cubes_[2]};
    const std::int64_t round = pencils_per_cube(axis, fastest_axis[axis]);
    Triple position = in_cube;
    position[fastest_axis[axis]] = in_cube[fastest_axis[axis]] * round + p % round;
    position[slowest_axis[axis]] = in_cube[slowest_axis[axis]] * pencils_per_cube(axis, slowest_axis[axis]) + p / round;
    return rank_of(axis, position);
  }

 private:
  // Whether each pencil lies within whole cubes.
  bool pencils_fit_cubes(std::size_t axis, const Triple& pencils) const {
    const Triple pencil = points_in(points_, pencils);
    const Triple cube = points_in(points_, cubes_);
    for (const std::size_t k : other_axes[axis]) {
      if (pencil[k] == 0 || cube[k] % pencil[k] != 0 || points_[0] % pencils[k] != 0) return false;
    }
    return true;
  }

  // The condition under which SWFFT tries the transposed grid. It differs from `pencils_fit_cubes` if the mesh is not a
  // cube.
  bool transposed_pencils_fit(std::size_t axis, const Triple& pencils) const {
    const auto [u, v] = other_axes[axis];
    const Triple pencil = points_in(points_, pencils);
    const Triple cube = points_in(points_, cubes_);
    return pencil[u] > 0 && pencil[v] > 0 && cube[u] % pencil[v] == 0 && cube[v] % pencil[u] == 0;
  }

  // The most even grid of pencils; if these do not nest in cubes, the same grid transposed; otherwise the grid
  // of the cubes, with their number along the axis multiplied into one of the other two.
  Triple pencils_along(std::size_t axis) const {
    const auto [u, v] = other_axes[axis];
    const std::vector<int> even = balanced_dims(static_cast<int>(cubes_[0] * cubes_[1] * cubes_[2]), 2);
    const Triple regular = pencils(axis, even[0], even[1]);
    if (pencils_fit_cubes(axis, regular)) return regular;
    const Triple transposed = pencils(axis, even[1], even[0]);
    if (transposed_pencils_fit(axis, regular) && pencils_fit_cubes(axis, transposed)) return transposed;
    const Triple first = pencils(axis, cubes_[u] * cubes_[axis], cubes_[v]);
    const Triple second = pencils(axis, cubes_[u], cubes_[v] * cubes_[axis]);
    const bool prefers_first =
        axis == 2 ? points_in(points_, cubes_)[0] <= points_in(points_, cubes_)[1] : cubes_[v] > cubes_[u];
    const Triple& preferred = prefers_first ? first : second;
    const Triple& other = prefers_first ? second : first;
    return pencils_fit_cubes(axis, preferred) ? preferred : other;
  }
  static Triple pencils(std::size_t axis, std::int64_t along_u, std::int64_t along_v) {
    Triple counts{1, 1, 1};
    counts[other_axes[axis][0]] = along_u;
    counts[other_axes[axis][1]] = along_v;
    return counts;
  }

  // Number of pencils of the axis in each cube, along k.
  std::int64_t pencils_per_cube(std::size_t axis, std::size_t k) const { return pencils_[axis][k] / cubes_[k]; }

  // The position of a rank's pencil. Pencils are numbered so that neighbouring ones pass through the same cubes.
  Triple pencil_of(std::size_t axis, int rank) const {
    if (axis == 0) {
      const std::int64_t columns = pencils_per_cube(0, 1);
      const std::int64_t layer = cubes_[1] * cubes_[2];
      const std::int64_t round = rank / layer;
      const std::int64_t index_in_layer = rank % layer;
      return {0, index_in_layer / cubes_[2] * columns + round % columns,
              index_in_layer % cubes_[2] * pencils_per_cube(0, 2) + round / columns};
    }
    if (axis == 1) {
      const std::int64_t q = rank % pencils_[1][2];
      return {rank / pencils_[1][2], 0, q / cubes_[2] + q % cubes_[2] * pencils_per_cube(1, 2)};
    }
    const std::int64_t columns = pencils_per_cube(2, 1);
    const std::int64_t layer = pencils_[2][1] * pencils_per_cube(2, 0);
    return {rank / layer * pencils_per_cube(2, 0) + rank % cubes_[2] / columns,
            rank % layer / cubes_[2] * columns + rank % columns, 0};
  }

  // The rank of the pencil at a position: the inverse of pencil_of.
  int rank_of(std::size_t axis, const Triple& position) const {
    std::int64_t rank = 0;
    if (axis == 0) {
      const std::int64_t columns = pencils_per_cube(0, 1);
      const std::int64_t rows = pencils_per_cube(0, 2);
      const std::int64_t round = position[1] % columns + position[2] % rows * columns;
      rank = round * cubes_[1] * cubes_[2] + position[1] / columns * cubes_[2] + position[2] / rows;
    } else if (axis == 1) {
      const std::int64_t rows = pencils_per_cube(1, 2);
      rank = position[0] * pencils_[1][2] + position[2] % rows * cubes_[2] + position[2] / rows;
    } else {
      const std::int64_t columns = pencils_per_cube(2, 1);
      const std::int64_t rows = pencils_per_cube(2, 0);
      rank = position[1] % columns + position[1] / columns * cubes_[2] + position[0] % rows * columns +
             position[0] / rows * pencils_[2][1] * rows;
    }
    return static_cast<int>(rank);
  }

  Triple points_;
  Triple cubes_;
  std::array<Triple, 3> pencils_{};
  bool fits_ = false;
};

class Swfft final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const Distribution3d distribution(points(), dims_for(*grid_option_, ranks));
    const std::int64_t total_points = points()[0] * points()[1] * points()[2];
    double ns = 6 * transform_ns;
    for (const std::size_t axis : axes) ns += (axis == 2 ? 1 : 2) * (to_pencils_ns[axis] + to_cubes_ns[axis]);
    if (*driver_) ns += initialise_ns + check_spectrum_ns + check_result_ns;
    // SWFFT prints the times of each stage, of all redistributions and of all transforms; its test program also prints
    // their sum.
    const std::int64_t printed_times =
        (*timing_ > 1 ? 2 * stages : 0) + (*timing_ > 0 ? 2 * 2 : 0) + (*driver_ ? 2 : 0);
    const std::int64_t reductions = 4 * printed_times + (*driver_ ? 2 * 4 : 0);
    const std::int64_t barriers = printed_times + (*timing_ > 0 ? 2 * (stages - 1) : 0) + (*driver_ ? 1 : 0);
    return {.messages = ranks * (4 * distribution.peers(0) + 4 * distribution.peers(1) + 2 * distribution.peers(2)),
            .message_bytes = 10 * point_bytes * total_points,
            .collectives = reductions + barriers,
            .collective_bytes = reductions * calls::size_of(ElementType::doubles) * ranks,
            .compute_s = ns * static_cast<double>(total_points) / ranks * scale() * 1e-9};
  }

  void check_ranks(int ranks) const override {
    const Dims<3> cubes = dims_for(*grid_option_, ranks);
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
    const Transform transform{calls, Distribution3d(points(), dims_for(*grid_option_, calls.ranks())),
                              calls.requests(2),
                              static_cast<double>(points()[0] * points()[1] * points()[2]) / calls.ranks(), *timing_};
    if (*driver_) {
      calls.barrier(calls.all_ranks());
      transform.compute(initialise_ns);
    }
    transform.forward();
    if (*driver_) {
      print_time(calls);
      transform.compute(check_spectrum_ns);
      allreduce_range(calls);
    }
    transform.backward();
    if (*driver_) {
      print_time(calls);
      transform.compute(check_result_ns);
      allreduce_range(calls);
    }
  }

 private:
  Triple points() const { return {*ngx_, *ngy_ > 0 ? *ngy_ : *ngx_, *ngz_ > 0 ? *ngz_ : *ngx_}; }

  enum class Target { pencils, cubes };
  struct Transform {
    CallList& calls;
    Distribution3d distribution;
    Requests requests;
    double points;  // per rank
    std::int64_t timing;

    void compute(double ns_per_point) const { calls.compute(points * ns_per_point); }

    void forward() const {
      redistribute(0, Target::pencils);
      end_stage();
      transform_lines();
      end_stage();
      redistribute(0, Target::cubes);
      end_stage();
      redistribute(1, Target::pencils);
      end_stage();
      transform_lines();
      end_stage();
      redistribute(1, Target::cubes);
      end_stage();
      redistribute(2, Target::pencils);
      end_stage();
      transform_lines();
      end_last_stage();
    }
    void backward() const {
      transform_lines();
      end_stage();
      redistribute(2, Target::cubes);
      end_stage();
      redistribute(1, Target::pencils);
      end_stage();
      transform_lines();
      end_stage();
      redistribute(1, Target::cubes);
      end_stage();
      redistribute(0, Target::pencils);
      end_stage();
      transform_lines();
      end_stage();
      redistribute(0, Target::cubes);
      end_last_stage();
    }

    void transform_lines() const { compute(transform_ns); }

    // Dfft::forward, Dfft::backward: of the 8 stages of a direction, the last one has no barrier but is followed by the
    // sums of both kinds of stages.
    void end_stage() const {
      if (timing > 1) print_time(calls);
      if (timing > 0) calls.barrier(calls.all_ranks());
    }
    void end_last_stage() const {
      if (timing > 1) print_time(calls);
      if (timing > 0) calls.repeat(2, [this] { print_time(calls); });
    }

    // One peer after the other, including this rank: pack, receive and send, unpack.
    void redistribute(std::size_t axis, Target target) const {
      const std::int64_t chunk = distribution.chunk_points(axis);
      const double ns = (target == Target::pencils ? to_pencils_ns : to_cubes_ns)[axis] / 2;
      for (std::int64_t p = 0; p < distribution.peers(axis); ++p) {
        const int cube = distribution.cube_peer(axis, calls.rank(), p);
        const int pencil = distribution.pencil_peer(axis, calls.rank(), p);
        calls.compute(static_cast<double>(chunk) * ns);
        calls.irecv(requests[0], target == Target::pencils ? cube : pencil, 0, point_bytes * chunk);
        calls.isend(requests[1], target == Target::pencils ? pencil : cube, 0, point_bytes * chunk);
        calls.wait(requests[0]);
        calls.wait(requests[1]);
        calls.compute(static_cast<double>(chunk) * ns);
      }
    }
  };

  // The maximum, minimum, mean and standard deviation of a time over all ranks (printTimingStats).
  static void print_time(CallList& calls) {
    reduce(calls, {ReduceOp::max, ReduceOp::min, ReduceOp::sum, ReduceOp::sum});
    calls.barrier(calls.all_ranks());
  }
  // The range of the real and of the imaginary parts.
  static void allreduce_range(CallList& calls) {
    reduce(calls, {ReduceOp::min, ReduceOp::max, ReduceOp::min, ReduceOp::max});
  }
  static void reduce(CallList& calls, const std::array<ReduceOp, 4>& operations) {
    for (const ReduceOp operation : operations) calls.allreduce(calls.all_ranks(), operation, ElementType::doubles, 1);
  }

  static constexpr std::int64_t max_value = 100'000;
  Param<std::int64_t> ngx_{this, 'x', "ngx", 160, "points of the whole mesh in x", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ngy_{this, 'y', "ngy", 0, "points in y; 0: as in x", AtMost{max_value}};
  Param<std::int64_t> ngz_{this, 'z', "ngz", 0, "points in z; 0: as in x", AtMost{max_value}};
  Param<Dims<3>> grid_option_{this, 'g', "grid", Dims<3>{}, "cubes in x, y and z; auto: as even as possible"};
  Param<std::int64_t> timing_{this, "dfft-timing", 2,
                              "times that SWFFT was built to print (DFFT_TIMING): 0 none, 1 of all redistributions and "
                              "of all transforms together, with barriers between these stages, 2 also of each stage",
                              AtMost{2}};
  Param<bool> driver_{this, "driver", "include the barriers, reductions and loops of SWFFT's test program"};
};

const RegisterMotif<Swfft> registered{"swfft", Family::application,
                                      "a 3-D Fourier transform forward and backward, redistributed one peer at a time",
                                      "SWFFT of HACC; StressBench III-A"};

}  // namespace
}  // namespace stressbench
