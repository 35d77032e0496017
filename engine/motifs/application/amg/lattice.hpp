// A formula for the levels of an algebraic multigrid on a regular mesh: each level is a coarser mesh over the same box.
// Real coarse levels are irregular; docs/motifs/amg.md compares both.
#pragma once

#include <algorithm>
#include <array>

#include "core/grid.hpp"
#include "motifs/application/amg/hierarchy.hpp"

namespace stressbench::amg {

class Lattice final : public Hierarchy {
 public:
  // `points`: points of each rank on the finest level.
  Lattice(const Dims<3>& points, const Dims<3>& ranks);

  int levels() const override { return static_cast<int>(sides_.size()) - 1; }
  std::vector<Exchange> matrix(int level, int rank) const override;
  std::vector<Exchange> interpolation(int level, int rank) const override;
  std::map<int, std::int64_t> coarsest() const override;
  std::int64_t points(int level, int rank) const override;

 private:
  // A half-open range [begin, end) of indices of a level's mesh in one dimension.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool empty() const { return begin >= end; }
    std::int64_t overlap(const Range& other) const;
  };
  using Position = std::array<int, 3>;

  Position position_of(int rank) const;
  // A table may have more levels than the mesh: the additional ones are as coarse as the coarsest.
  std::int64_t side(std::size_t dimension, int level) const {
    return sides_[std::min(static_cast<std::size_t>(level), sides_.size() - 1)][dimension];
  }
  Range owned(std::size_t dimension, int level, int position) const;
  static Range widened(const Range& range, int level);
  // Indices of a level's mesh that the matrix couples with the points of the ranks at `position`.
  Range coupled(std::size_t dimension, int level, int position) const;
  // Indices of the next coarser mesh from which the points of the ranks at `position` are interpolated.
  Range interpolated_from(std::size_t dimension, int level, int position) const;
  // Exchanges with all ranks at most `distance[dimension]` positions away. The points exchanged are the product of
  // `count(dimension, from position, to position)` over the dimensions, times `factor`.
  template <class Count>
  std::vector<Exchange> exchanges(int rank, const Position& distance, double factor, Count count) const;

  Dims<3> ranks_;
  std::vector<std::array<std::int64_t, 3>> sides_;  // of the mesh of each level, including the coarsest
};

}  // namespace stressbench::amg
