// The choice of the points of the next coarser level: strong dependences, and parallel independent sets (PMIS; De
// Sterck, Yang and Heys 2006). Rules and constants are those of AMG, parcsr_ls/par_strength.c and par_coarsen.c.
#pragma once

#include <cstdint>

#include "motifs/application/amg/rows.hpp"
#include "motifs/application/amg/stencil.hpp"

namespace stressbench::amg {

// An isolated point is fine and depends strongly on no other: it is not interpolated.
enum class Mark : std::int8_t { undecided, coarse, fine, isolated };
using Marks = ByRow<Mark>;

// The coarse points, numbered in the order of the fine ones; -1 for the others.
struct CoarsePoints {
  ByRow<int> number;
  Partition partition;
  int count() const { return partition.back(); }
};
CoarsePoints coarse_points(const Marks& marks, const Partition& partition);

Graph strong_dependences(const Matrix& matrix);

// The coarse points of the finest level by aggressive coarsening: an independent set of the points and, within it, a
// set that is also independent with respect to paths of two dependences.
Marks coarsen_aggressively(const Stencil& stencil);
Marks coarsen(const Graph& dependences, const Partition& partition);

// The points on which a point of the finest level depends strongly: all neighbours, or none.
Stencil::Neighbours strong_neighbours(const Stencil& stencil, int row);

}  // namespace stressbench::amg
