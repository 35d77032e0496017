// CG: conjugate gradients on a random sparse matrix, divided into a 2-D grid of blocks (NPB3.4-MPI/CG/cg.f).
#include <array>
#include <bit>
#include <vector>

#include "motifs/application/npb/problem.hpp"

namespace stressbench::npb {
namespace {

using calls::CallList;
using calls::Request;

struct Size {
  std::int64_t rows;  // na
  std::int64_t nonzer;
  std::int64_t iterations;
};
constexpr std::array<Size, 8> sizes{{{1400, 7, 15},
                                     {7000, 8, 15},
                                     {14000, 11, 15},
                                     {75000, 13, 75},
                                     {150000, 15, 75},
                                     {1500000, 21, 100},
                                     {9000000, 26, 100},
                                     {54000000, 31, 100}}};
constexpr std::int64_t inner_iterations = 25;

// Computation in the reference capture, in nanoseconds: per nonzero of the matrix; per column for the vectors z, r and
// r.r; per column for p.q; per row for the sum of the pieces.
constexpr double nonzero_ns = 0.87;
constexpr double vectors_ns = 1.3;
constexpr double product_ns = 0.66;
constexpr double pieces_ns = 0.38;

// The grid of ranks: as many columns of blocks as rows, or twice as many.
struct Blocks {
  int rows;
  int columns;
  explicit Blocks(int ranks) {
    const int powers = std::bit_width(static_cast<unsigned>(ranks)) - 1;
    rows = 1 << (powers / 2);
    columns = 1 << (powers - powers / 2);
  }
};

// Size of part `index` of `elements` divided into `parts`; the first parts may have one element more.
std::int64_t share(std::int64_t elements, int parts, int index) {
  return elements / parts + (index < elements % parts ? 1 : 0);
}

class Kernel {
 public:
  Kernel(CallList& calls, const Size& size)
      : calls_(calls),
        blocks_(calls.ranks()),
        row_(calls.rank() / blocks_.columns),
        column_(calls.rank() % blocks_.columns),
        request_(calls.requests(1)[0]) {
    const bool square = blocks_.rows == blocks_.columns;
    rows_ = share(size.rows, blocks_.rows, row_);
    // Two columns of blocks share the part of one; the first has the larger half.
    const int half = column_ % 2;
    columns_ = square ? share(size.rows, blocks_.columns, column_)
                      : (share(size.rows, blocks_.columns / 2, column_ / 2) + 1 - half) / 2;
    piece_ = square ? rows_ : (rows_ + 1 - half) / 2;
    other_piece_ = square ? rows_ : rows_ - piece_;
    nonzeros_ = static_cast<double>(size.rows * size.nonzer * (size.nonzer + 1)) / calls.ranks();
    for (int distance = blocks_.columns / 2; distance > 0; distance /= 2) {
      const int group = 2 * distance;
      partners_.push_back(row_ * blocks_.columns + (column_ + distance) % group + column_ / group * group);
    }
    const int n = blocks_.rows;
    const int rank = calls.rank();
    transposed_ = square ? rank % n * n + rank / n : 2 * (rank / 2 % n * n + rank / 2 / n) + rank % 2;
  }

  double columns() const { return static_cast<double>(columns_); }

  // Sums `numbers` doubles over the ranks of a row.
  void sum(std::int64_t numbers) const {
    for (int k = 0; k < steps(); ++k) exchange(partner(k), k + 1, 8 * numbers, 8 * numbers);
  }
  // q = A p: the products of the ranks in a row are summed piece by piece, and the sums are sent to the transposed
  // block.
  void multiply() const {
    calls_.compute(nonzero_ns * nonzeros_);
    for (int k = steps() - 1; k >= 0; --k) {
      const bool first = k == steps() - 1;
      exchange(partner(k), k + 1, 8 * (first ? other_piece_ : piece_), 8 * piece_);
      calls_.compute(pieces_ns * static_cast<double>(piece_));
    }
    if (steps() > 0) exchange(transposed_, 1, 8 * piece_, 8 * columns_);
  }
  void update() const {
    calls_.compute(vectors_ns * columns());
    sum(1);
  }
  void search() const {
    multiply();
    calls_.compute(product_ns * columns());
    sum(1);
  }

 private:
  int steps() const { return static_cast<int>(partners_.size()); }
  int partner(int step) const { return partners_[static_cast<std::size_t>(step)]; }
  void exchange(int partner, int tag, std::int64_t sent, std::int64_t received) const {
    calls_.irecv(request_, partner, tag, received);
    calls_.send(partner, tag, sent);
    calls_.wait(request_);
  }

  CallList& calls_;
  Blocks blocks_;
  int row_;
  int column_;
  Request request_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t piece_ = 0;        // rows that this rank sums
  std::int64_t other_piece_ = 0;  // rows that its first partner sums
  double nonzeros_ = 0;
  std::vector<int> partners_;
  int transposed_ = 0;
};

}  // namespace

void check_cg(ProblemClass size, int ranks) {
  (void)size;
  check_power_of_two("CG", ranks);
}

void write_cg(CallList& calls, ProblemClass size, Extent extent) {
  const Kernel kernel(calls, row_of(sizes, size));
  if (extent == Extent::iteration) {
    kernel.update();
    kernel.search();
    return;
  }
  calls.repeat(row_of(sizes, size).iterations, [&] {
    kernel.sum(1);  // r.r
    calls.repeat(inner_iterations, [&] {
      kernel.search();
      kernel.update();
    });
    kernel.search();  // the residual
    kernel.sum(2);    // x.z and z.z
  });
}

}  // namespace stressbench::npb
