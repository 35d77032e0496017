#include "motifs/application/amg/galerkin.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stressbench::amg {
namespace {

template <class Visit>
void visit_row(const Stencil& stencil, int row, Visit visit) {
  visit(row, stencil.diagonal());
  for (const int column : stencil.neighbours(row)) visit(column, Stencil::neighbour_value);
}

template <class Visit>
void visit_row(const Matrix& matrix, int row, Visit visit) {
  for (const auto& [column, value] : matrix.row(row)) visit(column, value);
}

Matrix transposed(const Matrix& matrix, int columns) {
  ByRow<std::vector<Entry>> rows(columns, {});
  for (int i = 0; i < matrix.rows(); ++i) {
    for (const auto& [column, value] : matrix.row(i)) rows[column].push_back({i, value});
  }
  Matrix result(columns);
  for (int i = 0; i < columns; ++i) result.assign(i, rows[i]);
  return result;
}

// The coarse points of other ranks that occur in a rank's rows of the interpolation, and those that occur in its rows
// of the product of matrix and interpolation, in ascending order.
class ForeignPoints {
 public:
  explicit ForeignPoints(const CoarsePoints& coarse) : coarse_(coarse), seen_by_(coarse.count(), -1) {}

  template <class Fine>
  void find(std::size_t rank, const Fine& matrix, const Partition& partition, const Matrix& interpolation) {
    rank_ = rank;
    found_.clear();
    const int begin = partition[rank];
    const int end = partition[rank + 1];
    for (int i = begin; i < end; ++i) add(interpolation, i);
    of_interpolation_ = found_;
    for (int i = begin; i < end; ++i) {
      visit_row(matrix, i, [&](int j, double) {
        if (j < begin || j >= end) add(interpolation, j);
      });
    }
    of_product_ = found_;
    std::ranges::sort(of_interpolation_);
    std::ranges::sort(of_product_);
  }
  const std::vector<int>& of_interpolation() const { return of_interpolation_; }
  const std::vector<int>& of_product() const { return of_product_; }

 private:
  void add(const Matrix& interpolation, int row) {
    for (const auto& [column, weight] : interpolation.row(row)) {
      if (column >= coarse_.partition[rank_] && column < coarse_.partition[rank_ + 1]) continue;
      if (seen_by_[column] == static_cast<int>(rank_)) continue;
      seen_by_[column] = static_cast<int>(rank_);
      found_.push_back(column);
    }
  }

  const CoarsePoints& coarse_;
  ByRow<int> seen_by_;
  std::size_t rank_ = 0;
  std::vector<int> found_;
  std::vector<int> of_interpolation_;
  std::vector<int> of_product_;
};

// AMG multiplies parts of the matrices of each rank and adds a diagonal to every square product
// (hypre_CSRMatrixMultiply in seq_mv/csr_matop.c). Where a part is square by coincidence, the diagonal has entries of 0
// between unrelated points, and the rank that has one of them receives the other.
template <class Fine>
Graph accidental_entries(const Fine& matrix, const Partition& partition, const Matrix& interpolation,
                         const CoarsePoints& coarse) {
  ByRow<std::vector<int>> columns(coarse.count(), {});
  const auto add_diagonal = [&](const std::vector<int>& rows_of_part, const std::vector<int>& columns_of_part) {
    if (rows_of_part.size() != columns_of_part.size()) return;
    for (std::size_t k = 0; k < rows_of_part.size(); ++k) columns[rows_of_part[k]].push_back(columns_of_part[k]);
  };
  ForeignPoints foreign(coarse);
  std::vector<int> own;
  for (std::size_t rank = 0; rank + 1 < partition.size(); ++rank) {
    foreign.find(rank, matrix, partition, interpolation);
    own.clear();
    for (int c = coarse.partition[rank]; c < coarse.partition[rank + 1]; ++c) own.push_back(c);
    add_diagonal(own, foreign.of_product());
    add_diagonal(foreign.of_interpolation(), own);
    add_diagonal(foreign.of_interpolation(), foreign.of_product());
  }
  Graph entries(coarse.count());
  for (int c = 0; c < coarse.count(); ++c) entries.assign(c, columns[c]);
  return entries;
}

template <class Fine>
Matrix product(const Fine& matrix, const Partition& partition, const Matrix& interpolation,
               const CoarsePoints& coarse) {
  const Graph accidental = accidental_entries(matrix, partition, interpolation, coarse);
  const Matrix restriction = transposed(interpolation, coarse.count());
  Matrix result(coarse.count());
  RowSum restricted(interpolation.rows());
  RowSum row(coarse.count());
  for (int c = 0; c < coarse.count(); ++c) {
    restricted.clear();
    for (const auto& [i, weight] : restriction.row(c)) {
      visit_row(matrix, i, [&, weight = weight](int j, double value) { restricted.at(j) += weight * value; });
    }
    row.clear();
    for (const auto& [j, value] : restricted.entries()) {
      for (const auto& [column, weight] : interpolation.row(j)) row.at(column) += value * weight;
    }
    for (const int column : accidental.row(c)) row.at(column);
    result.assign(c, row.entries());
  }
  return result;
}

}  // namespace

Matrix coarse_matrix(const Stencil& stencil, const Matrix& interpolation, const CoarsePoints& coarse) {
  return product(stencil, stencil.partition(), interpolation, coarse);
}

Matrix coarse_matrix(const Matrix& matrix, const Partition& partition, const Matrix& interpolation,
                     const CoarsePoints& coarse) {
  return product(matrix, partition, interpolation, coarse);
}

}  // namespace stressbench::amg
