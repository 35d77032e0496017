// The matrix of the finest level: 27 points in three dimensions, -1 for each neighbour.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/grid.hpp"
#include "motifs/application/amg/rows.hpp"

namespace stressbench::amg {

class Stencil {
 public:
  // `points`: points of each rank. Rows are numbered rank by rank, within a rank along x first.
  Stencil(const Dims<3>& points, const Dims<3>& ranks, double diagonal);

  static constexpr double neighbour_value = -1;
  double diagonal() const { return diagonal_; }
  int rows() const { return partition_.back(); }
  const Partition& partition() const { return partition_; }

  class Neighbours {
   public:
    void add(int row) { rows_[count_++] = row; }
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    const int* begin() const { return rows_.data(); }
    const int* end() const { return rows_.data() + count_; }

   private:
    std::array<int, 26> rows_;
    std::size_t count_ = 0;
  };
  Neighbours neighbours(int row) const;

 private:
  double diagonal_;
  Dims<3> points_;
  Dims<3> ranks_;
  std::array<std::vector<int>, 3> parts_;  // a row's number is the sum of the parts of its three coordinates
  Partition partition_;
};

}  // namespace stressbench::amg
