#include "motifs/application/amg/computed.hpp"

#include <algorithm>
#include <cstddef>

#include "motifs/application/amg/coarsening.hpp"
#include "motifs/application/amg/galerkin.hpp"
#include "motifs/application/amg/interpolation.hpp"
#include "motifs/application/amg/stencil.hpp"

namespace stressbench::amg {
namespace {

constexpr int max_levels = 25;
constexpr int max_gathered_points = 9;  // hypre's max_coarse_size

int rank_of(int row, const Partition& partition) {
  return static_cast<int>(std::ranges::upper_bound(partition, row) - partition.begin()) - 1;
}

// Every rank receives the values of the columns that its rows have in common with other ranks.
class Borders {
 public:
  Borders(const Partition& rows, const Partition& columns)
      : rows_(rows), columns_(columns), received_by_(columns.back(), -1) {}

  // `visit_columns(row, visit)` calls visit(column) for each column of a row.
  template <class VisitColumns>
  void list(Exchanges& exchanges, int level, VisitColumns visit_columns) {
    for (std::size_t rank = 0; rank + 1 < rows_.size(); ++rank) {
      std::map<int, std::int64_t> values_from;
      for (int row = rows_[rank]; row < rows_[rank + 1]; ++row) {
        visit_columns(row, [&](int column) {
          if (column >= columns_[rank] && column < columns_[rank + 1]) return;
          if (received_by_[column] == static_cast<int>(rank)) return;
          received_by_[column] = static_cast<int>(rank);
          ++values_from[rank_of(column, columns_)];
        });
      }
      for (const auto& [from, values] : values_from) exchanges.add(level, from, static_cast<int>(rank), 8 * values);
    }
  }
  void list(Exchanges& exchanges, int level, const Matrix& matrix) {
    list(exchanges, level, [&](int row, auto visit) {
      for (const Entry& entry : matrix.row(row)) visit(entry.column);
    });
  }

 private:
  const Partition& rows_;
  const Partition& columns_;
  ByRow<int> received_by_;
};

}  // namespace

ComputedHierarchy::ComputedHierarchy(const Dims<3>& points, const Dims<3>& ranks, double diagonal) {
  const Stencil stencil(points, ranks, diagonal);
  partitions_.push_back(stencil.partition());
  Borders(stencil.partition(), stencil.partition()).list(matrix_, 0, [&](int row, auto visit) {
    for (const int column : stencil.neighbours(row)) visit(column);
  });
  Marks marks = coarsen_aggressively(stencil);
  CoarsePoints coarse = coarse_points(marks, stencil.partition());
  // Either no point or every point is coarse: AMG relaxes the level and stops.
  const auto is_last = [&] { return coarse.count() == 0 || coarse.count() == partitions_.back().back(); };
  if (is_last()) return;

  Matrix interpolation = multipass_interpolation(stencil, marks, coarse);
  Borders(partitions_.back(), coarse.partition).list(interpolation_, 0, interpolation);
  Matrix matrix = coarse_matrix(stencil, interpolation, coarse);
  for (int level = 1;; ++level) {
    partitions_.push_back(coarse.partition);
    Borders(coarse.partition, coarse.partition).list(matrix_, level, matrix);
    gathered_ = matrix.rows() <= max_gathered_points;
    if (gathered_ || level == max_levels - 1) return;
    const Graph dependences = strong_dependences(matrix);
    marks = coarsen(dependences, coarse.partition);
    coarse = coarse_points(marks, partitions_.back());
    if (is_last()) return;
    interpolation = extended_interpolation(matrix, dependences, marks, coarse);
    Borders(partitions_.back(), coarse.partition).list(interpolation_, level, interpolation);
    matrix = coarse_matrix(matrix, partitions_.back(), interpolation, coarse);
  }
}

std::int64_t ComputedHierarchy::points(int level, int rank) const {
  const Partition& partition = partitions_[static_cast<std::size_t>(level)];
  const auto at = static_cast<std::size_t>(rank);
  return partition[at + 1] - partition[at];
}

std::map<int, std::int64_t> ComputedHierarchy::coarsest() const {
  std::map<int, std::int64_t> bytes;
  if (!gathered_) return bytes;
  for (int rank = 0; rank + 1 < static_cast<int>(partitions_.back().size()); ++rank) {
    if (points(levels(), rank) > 0) bytes[rank] = 8 * points(levels(), rank);
  }
  return bytes;
}

}  // namespace stressbench::amg
