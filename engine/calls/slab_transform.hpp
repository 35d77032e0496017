// A Fourier transform and its inverse in slabs, as FFTW's MPI library computes them (3.3.10: mpi/dft-problem.c,
// dft-rank-geq2.c, dft-rank1-bigvec.c and dft-rank-geq2-transposed.c).
#pragma once

#include <cstdint>
#include <string>

#include "calls/call_list.hpp"
#include "calls/transpose.hpp"

namespace stressbench::calls {

// The order of the first two axes in the mesh before or after a transform: x, y, z in slabs of x, or y, x, z in slabs
// of y.
enum class AxisOrder { regular, transposed };
constexpr AxisOrder order_if(bool transposed) { return transposed ? AxisOrder::transposed : AxisOrder::regular; }

class SlabTransform {
 public:
  // Computation per point between calls, in nanoseconds: transforms along all axes but the first, along the first,
  // reordering the result, copying a point of a message.
  struct Times {
    double planes_ns;
    double lines_ns;
    double order_ns;
    double copy_ns;
  };

  // The calls of the transpose before the first axis is transformed, and of the one back, which there is not where the
  // order of the axes changes.
  struct TransposeCalls {
    TransposeCall there;
    TransposeCall back;
    bool operator==(const TransposeCalls&) const = default;
  };

  // `input` and `output` of the forward transform; the backward one has them exchanged.
  SlabTransform(std::int64_t nx, std::int64_t ny, std::int64_t nz, AxisOrder input, AxisOrder output,
                TransposeCalls forward, TransposeCalls backward, Times times)
      : nx_(nx),
        ny_(ny),
        nz_(nz),
        forward_{input, output, forward},
        backward_{output, input, backward},
        times_(times) {}
  SlabTransform(std::int64_t nx, std::int64_t ny, std::int64_t nz, AxisOrder input, AxisOrder output,
                TransposeCall call, Times times)
      : SlabTransform(nx, ny, nz, input, output, {call, call}, {call, call}, times) {}

  // Throws ParameterMistake in the option `call` if a transpose cannot be made by its calls on that many ranks.
  void check(int ranks) const {
    for (const Direction& direction : {forward_, backward_}) {
      const OneWay transform = one_way(direction, ranks);
      check(direction.calls.there, transform.planes, transform.columns);
      if (transform.returns) check(direction.calls.back, transform.columns, transform.planes);
    }
  }

  // Adds both transforms to the list, or one of them.
  void write(CallList& calls) const {
    if (forward_ == backward_) return calls.repeat(2, [&] { write_forward(calls); });
    write_forward(calls);
    write_backward(calls);
  }
  void write_forward(CallList& calls) const { write(calls, forward_); }
  void write_backward(CallList& calls) const { write(calls, backward_); }

  // Traffic of both transforms on all ranks; computation of one rank.
  Traffic traffic(int ranks) const {
    Traffic sum;
    for (const Direction& direction : {forward_, backward_}) {
      const OneWay transform = one_way(direction, ranks);
      const auto& [there, back] = direction.calls;
      int copies = copies_of(there, ranks);
      sum.add(transpose_traffic(there, transform.planes, transform.columns, transform.element_bytes()));
      if (transform.returns) {
        copies += copies_of(back, ranks);
        sum.add(transpose_traffic(back, transform.columns, transform.planes, transform.element_bytes()));
      }
      const double ns =
          times_.planes_ns + times_.lines_ns + (transform.returns ? times_.order_ns : 0) + copies * times_.copy_ns;
      sum.compute_s += static_cast<double>(nx_ * ny_ * nz_) / ranks * ns * 1e-9;
    }
    return sum;
  }

 private:
  static constexpr std::int64_t point_bytes = 16;  // a double-precision complex number

  struct Direction {
    AxisOrder from;
    AxisOrder to;
    TransposeCalls calls;
    bool operator==(const Direction&) const = default;
  };

  // A transform in one direction: of each plane of the first axis, a transpose of the matrix planes x columns, and of
  // each column. Where input and output have the same order, the transpose is followed by one back, and FFTW divides
  // the product of all other axes into columns, otherwise the second axis, so that a matrix element is a line.
  struct OneWay {
    Blocks planes;
    Blocks columns;
    std::int64_t points_per_element;
    bool returns;
    std::int64_t element_bytes() const { return point_bytes * points_per_element; }
  };
  OneWay one_way(const Direction& direction, int ranks) const {
    const std::int64_t first = direction.from == AxisOrder::regular ? nx_ : ny_;
    const std::int64_t second = direction.from == AxisOrder::regular ? ny_ : nx_;
    const bool returns = direction.from == direction.to;
    return {.planes = Blocks::equal(first, ranks),
            .columns = Blocks::equal(returns ? second * nz_ : second, ranks),
            .points_per_element = returns ? 1 : nz_,
            .returns = returns};
  }

  // FFTW transposes in stages only into columns of which each rank has as many.
  void check(TransposeCall call, const Blocks& rows, const Blocks& columns) const {
    const int ranks = rows.parts();
    if (call == TransposeCall::alltoall && !(rows.all_equal() && columns.all_equal())) {
      reject("call", "alltoall needs blocks of one size, which {} points on {} ranks do not give; use alltoallv",
             shape(), ranks);
    }
    if (!is_in_stages(call)) return;
    if (first_stage_ranks(ranks) == 0) {
      reject("call", "{} needs ranks in groups of equal size, which {} ranks do not give; use pairwise", name_of(call),
             ranks);
    }
    if (!columns.all_equal()) {
      reject("call",
             "{} needs blocks of one size after each transpose, which {} points on {} ranks do not give; use pairwise",
             name_of(call), shape(), ranks);
    }
  }
  std::string shape() const {
    return nz_ == 1 ? fmt::format("{} x {}", nx_, ny_) : fmt::format("{} x {} x {}", nx_, ny_, nz_);
  }

  void write(CallList& calls, const Direction& direction) const {
    const OneWay transform = one_way(direction, calls.ranks());
    const TransposeGroup all{calls.all_ranks()};
    const auto& [planes, columns, points_per_element, returns] = transform;
    const auto points_in_planes = static_cast<double>(planes[calls.rank()] * columns.cells() * points_per_element);
    const auto points_in_columns = static_cast<double>(columns[calls.rank()] * planes.cells() * points_per_element);
    const double copy_ns = times_.copy_ns * static_cast<double>(points_per_element);
    calls.compute(points_in_planes * times_.planes_ns);
    transpose(calls, direction.calls.there, all, planes, columns, transform.element_bytes(), copy_ns);
    calls.compute(points_in_columns * times_.lines_ns);
    if (!returns) return;
    transpose(calls, direction.calls.back, all, columns, planes, transform.element_bytes(), copy_ns);
    calls.compute(points_in_planes * times_.order_ns);
  }

  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t nz_;
  Direction forward_;
  Direction backward_;
  Times times_;
};

}  // namespace stressbench::calls
