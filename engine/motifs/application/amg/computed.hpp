// The hierarchy that AMG's set-up finds, computed as AMG does: the same random numbers, points and matrices, so that
// the messages of every level are the application's (docs/motifs/amg.md has the cases in which that was compared).
#pragma once

#include "core/grid.hpp"
#include "motifs/application/amg/hierarchy.hpp"
#include "motifs/application/amg/rows.hpp"

namespace stressbench::amg {

class ComputedHierarchy final : public Hierarchy {
 public:
  // Computes all levels, with about 150 bytes and 2.5 us for each point of all ranks.
  ComputedHierarchy(const Dims<3>& points, const Dims<3>& ranks, double diagonal);

  int levels() const override { return static_cast<int>(partitions_.size()) - 1; }
  std::int64_t points(int level, int rank) const override;
  std::vector<Exchange> matrix(int level, int rank) const override { return matrix_.of(level, rank); }
  std::vector<Exchange> interpolation(int level, int rank) const override { return interpolation_.of(level, rank); }
  std::map<int, std::int64_t> coarsest() const override;

 private:
  std::vector<Partition> partitions_;  // of each level, including the coarsest
  Exchanges matrix_;
  Exchanges interpolation_;
  bool gathered_ = false;
};

}  // namespace stressbench::amg
