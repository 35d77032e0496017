// A Fourier transform and its inverse in slabs, as FFTW's MPI library computes them (3.3.10: mpi/dft-problem.c,
// dft-rank-geq2.c, dft-rank1-bigvec.c and dft-rank-geq2-transposed.c).
#pragma once

#include <cstdint>
#include <utility>

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

  // `input` and `output` of the forward transform; the backward one has them exchanged.
  SlabTransform(std::int64_t nx, std::int64_t ny, std::int64_t nz, AxisOrder input, AxisOrder output,
                TransposeCall call, Times times)
      : nx_(nx), ny_(ny), nz_(nz), input_(input), output_(output), call_(call), times_(times) {}

  // Whether all ranks have blocks of one size, so that MPI_Alltoall can transpose.
  bool has_equal_blocks(int ranks) const {
    return one_way(input_, output_, ranks).has_equal_blocks() && one_way(output_, input_, ranks).has_equal_blocks();
  }

  // Adds both transforms to the list.
  void write(CallList& calls) const {
    if (input_ == output_) return calls.repeat(2, [&] { write(calls, input_, output_); });
    write(calls, input_, output_);
    write(calls, output_, input_);
  }

  // Traffic of both transforms on all ranks; computation of one rank.
  Traffic traffic(int ranks) const {
    Traffic sum;
    for (const auto& [from, to] : {std::pair{input_, output_}, std::pair{output_, input_}}) {
      const OneWay transform = one_way(from, to, ranks);
      const std::int64_t transposes = transform.returns ? 2 : 1;
      const Traffic one = transpose_traffic(call_, transform.planes, transform.columns, transform.element_bytes());
      sum.messages += transposes * one.messages;
      sum.message_bytes += transposes * one.message_bytes;
      sum.collectives += transposes * one.collectives;
      sum.collective_bytes += transposes * one.collective_bytes;
      const double copied_ns = call_ == TransposeCall::pairwise ? static_cast<double>(transposes) * times_.copy_ns : 0;
      const double ns = times_.planes_ns + times_.lines_ns + (transform.returns ? times_.order_ns : 0) + copied_ns;
      sum.compute_s += static_cast<double>(nx_ * ny_ * nz_) / ranks * ns * 1e-9;
    }
    return sum;
  }

 private:
  static constexpr std::int64_t point_bytes = 16;  // a double-precision complex number

  // A transform in one direction: of each plane of the first axis, a transpose of the matrix planes x columns, and of
  // each column. Where input and output have the same order, the transpose is followed by one back, and FFTW divides
  // the product of all other axes into columns, otherwise the second axis, so that a matrix element is a line.
  struct OneWay {
    Blocks planes;
    Blocks columns;
    std::int64_t points_per_element;
    bool returns;
    std::int64_t element_bytes() const { return point_bytes * points_per_element; }
    bool has_equal_blocks() const { return planes.all_equal() && columns.all_equal(); }
  };
  OneWay one_way(AxisOrder from, AxisOrder to, int ranks) const {
    const std::int64_t first = from == AxisOrder::regular ? nx_ : ny_;
    const std::int64_t second = from == AxisOrder::regular ? ny_ : nx_;
    const bool returns = from == to;
    return {.planes = Blocks::equal(first, ranks),
            .columns = Blocks::equal(returns ? second * nz_ : second, ranks),
            .points_per_element = returns ? 1 : nz_,
            .returns = returns};
  }

  void write(CallList& calls, AxisOrder from, AxisOrder to) const {
    const OneWay transform = one_way(from, to, calls.ranks());
    const TransposeGroup all{calls.all_ranks()};
    const auto& [planes, columns, points_per_element, returns] = transform;
    const auto points_in_planes = static_cast<double>(planes[calls.rank()] * columns.cells() * points_per_element);
    const auto points_in_columns = static_cast<double>(columns[calls.rank()] * planes.cells() * points_per_element);
    const double copy_ns = times_.copy_ns * static_cast<double>(points_per_element);
    calls.compute(points_in_planes * times_.planes_ns);
    transpose(calls, call_, all, planes, columns, transform.element_bytes(), copy_ns);
    calls.compute(points_in_columns * times_.lines_ns);
    if (!returns) return;
    transpose(calls, call_, all, columns, planes, transform.element_bytes(), copy_ns);
    calls.compute(points_in_planes * times_.order_ns);
  }

  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t nz_;
  AxisOrder input_;
  AxisOrder output_;
  TransposeCall call_;
  Times times_;
};

}  // namespace stressbench::calls
