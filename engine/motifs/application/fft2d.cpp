// fft2d: a 2-D Fourier transform and its inverse as FFTW's MPI library computes them: rows in slabs, a transpose,
// columns, a transpose back (FFTW 3.3.10, MPI; docs/motifs/fft2d.md).

#include "calls/slab_transform.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::SlabTransform;

// Computation per point between calls in the reference captures, in nanoseconds.
constexpr SlabTransform::Times times{.planes_ns = 7.6, .lines_ns = 4.7, .order_ns = 1.4, .copy_ns = 0.9};

class Fft2d final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    Traffic sum = transform().traffic(ranks);
    if (*barrier_) ++sum.collectives;
    sum.compute_s *= scale();
    return sum;
  }

  void check_ranks(int ranks) const override { transform().check(ranks); }

  void write(CallList& calls) const override {
    if (*barrier_) calls.barrier(calls.all_ranks());
    transform().write(calls);
  }

 private:
  std::int64_t ny() const { return *ny_ > 0 ? *ny_ : *nx_; }
  SlabTransform transform() const {
    return {*nx_, ny(), 1, calls::order_if(*transposed_in_), calls::order_if(*transposed_out_), *call_, times};
  }

  static constexpr std::int64_t max_value = 1'000'000;
  Param<std::int64_t> nx_{this, 'x', "nx", 2000, "rows of the matrix", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 0, "columns of the matrix; 0: as many as rows", AtMost{max_value}};
  Param<bool> transposed_in_{this, "transposed-in",
                             "the matrix is transposed before the forward and after the backward transform"};
  Param<bool> transposed_out_{this, "transposed-out", "the matrix is transposed between the transforms"};
  Param<TransposeCall> call_{this, 'n', "call", TransposeCall::pairwise, "calls of a transpose"};
  Param<bool> barrier_{this, "barrier", "barrier before each iteration"};
};

const RegisterMotif<Fft2d> registered{
    "fft2d", Family::application, "a 2-D Fourier transform forward and backward: four transposes or two", "FFTW, MPI"};

}  // namespace
}  // namespace stressbench
