// fft2d: a 2-D Fourier transform and its inverse as FFTW's MPI library computes them: rows in slabs, a transpose,
// columns, a transpose back (FFTW 3.3, MPI; docs/motifs/fft2d.md).

#include "calls/transpose.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::Blocks;
using calls::CallList;

constexpr std::int64_t point_bytes = 16;  // a double-precision complex number
constexpr int transposes = 4;             // of both transforms together

// Computation per point between calls in the reference captures, in nanoseconds: transforms of rows and of columns,
// reordering the result, copying a point of a message.
constexpr double rows_ns = 7.6;
constexpr double columns_ns = 4.7;
constexpr double order_ns = 1.4;
constexpr double copy_ns = 0.9;

class Fft2d final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    Traffic sum = calls::transpose_traffic(*call_, Blocks::equal(*nx_, ranks), Blocks::equal(ny(), ranks), point_bytes);
    sum.messages *= transposes;
    sum.message_bytes *= transposes;
    sum.collectives = transposes * sum.collectives + (*barrier_ ? 1 : 0);
    sum.collective_bytes *= transposes;
    const double copied_ns = *call_ == TransposeCall::pairwise ? transposes * copy_ns : 0;
    const double points = static_cast<double>(*nx_) * static_cast<double>(ny()) / ranks;
    sum.compute_s = points * (2 * (rows_ns + columns_ns + order_ns) + copied_ns) * scale() * 1e-9;
    return sum;
  }

  void check_ranks(int ranks) const override {
    if (*call_ != TransposeCall::alltoall || (*nx_ % ranks == 0 && ny() % ranks == 0)) return;
    reject("call",
           "alltoall needs the same number of rows and columns on each of {} ranks, which {} x {} do not give; use "
           "alltoallv",
           ranks, *nx_, ny());
  }

  void write(CallList& calls) const override {
    const Blocks rows = Blocks::equal(*nx_, calls.ranks());
    const Blocks columns = Blocks::equal(ny(), calls.ranks());
    const calls::TransposeGroup all{calls.all_ranks()};
    const auto points_in_rows = static_cast<double>(rows[calls.rank()] * ny());
    const auto points_in_columns = static_cast<double>(columns[calls.rank()] * *nx_);
    if (*barrier_) calls.barrier(calls.all_ranks());
    calls.repeat(2, [&] {  // forward, backward
      calls.compute(points_in_rows * rows_ns);
      calls::transpose(calls, *call_, all, rows, columns, point_bytes, copy_ns);
      calls.compute(points_in_columns * columns_ns);
      calls::transpose(calls, *call_, all, columns, rows, point_bytes, copy_ns);
      calls.compute(points_in_rows * order_ns);
    });
  }

 private:
  std::int64_t ny() const { return *ny_ > 0 ? *ny_ : *nx_; }

  static constexpr std::int64_t max_value = 1'000'000;
  Param<std::int64_t> nx_{this, 'x', "nx", 2000, "rows of the matrix", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 0, "columns of the matrix; 0: as many as rows", AtMost{max_value}};
  Param<TransposeCall> call_{this, 'n', "call", TransposeCall::pairwise, "calls of a transpose"};
  Param<bool> barrier_{this, "barrier", "barrier before each iteration"};
};

const RegisterMotif<Fft2d> registered{"fft2d", Family::application,
                                      "a 2-D Fourier transform forward and backward: four transposes", "FFTW, MPI"};

}  // namespace
}  // namespace stressbench
