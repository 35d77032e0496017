// FT: a 3-D Fourier transform in slabs, or in pencils where there are more ranks than planes (NPB3.4-MPI/FT/ft.f).

#include <algorithm>
#include <array>

#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::CommunicatorRef;
using calls::ElementType;
using calls::ReduceOp;

struct Size {
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
  std::int64_t iterations;
};
constexpr std::array<Size, 8> sizes{{{64, 64, 64, 6},
                                     {128, 128, 32, 6},
                                     {256, 256, 128, 6},
                                     {512, 256, 256, 20},
                                     {512, 512, 512, 20},
                                     {2048, 1024, 1024, 25},
                                     {4096, 2048, 2048, 25},
                                     {8192, 4096, 4096, 25}}};

// Computation per point in the reference capture, in nanoseconds, all transforms of an iteration together.
constexpr double transform_ns = 26;

// The grid of ranks, np1 x np2 in the benchmark.
struct Layout {
  int columns;  // more than 1: pencils
  int slabs;
  Layout(const Size& size, int ranks)
      : columns(ranks <= size.z ? 1 : static_cast<int>(size.z)), slabs(ranks / columns) {}
};

class Kernel {
 public:
  Kernel(CallList& calls, const Size& size)
      : calls_(calls), layout_(size, calls.ranks()), points_(size.x * size.y * size.z / calls.ranks()) {
    const int rank = calls.rank();
    row_ = calls.split(rank / layout_.slabs, rank % layout_.slabs, layout_.slabs);
    column_ = calls.split(rank % layout_.slabs, rank / layout_.slabs, layout_.columns);
  }

  void forward() const { layout_.columns > 1 ? transform({&column_, &row_}) : transform({&row_}); }
  void backward() const { layout_.columns > 1 ? transform({&row_, &column_}) : transform({&row_}); }
  void checksum() const { calls_.reduce(calls_.all_ranks(), 0, ReduceOp::sum, ElementType::doubles, 2); }

 private:
  // Computes along the local dimensions and transposes to make others local, until all are done.
  void transform(std::initializer_list<const CommunicatorRef*> transpositions) const {
    const double part_ns = transform_ns / static_cast<double>(transpositions.size() + 1);
    for (const CommunicatorRef* ranks : transpositions) {
      calls_.compute(part_ns * static_cast<double>(points_));
      if (calls_.ranks() > 1) calls_.alltoall(*ranks, 16 * points_ / ranks->size);
    }
    calls_.compute(part_ns * static_cast<double>(points_));
  }

  CallList& calls_;
  Layout layout_;
  std::int64_t points_;
  CommunicatorRef row_;
  CommunicatorRef column_;
};

}  // namespace

void check_ft(ProblemClass size, int ranks) {
  check_power_of_two("FT", ranks);
  const Size& n = row_of(sizes, size);
  const std::int64_t max_ranks = n.z * std::min(n.y, n.z);
  if (ranks > max_ranks) {
    reject("class", "{} x {} x {} points have pencils for {} ranks at most, but the job has {}", n.x, n.y, n.z,
           max_ranks, ranks);
  }
}

void write_ft(CallList& calls, ProblemClass size, Extent extent) {
  const Kernel kernel(calls, row_of(sizes, size));
  const auto iterate = [&] {
    kernel.backward();
    kernel.checksum();
  };
  if (extent == Extent::iteration) return iterate();
  kernel.forward();
  calls.repeat(row_of(sizes, size).iterations, iterate);
}

}  // namespace stressbench::npb
