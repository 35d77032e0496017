// The problem that AMG solves, and the hierarchy of its multigrid.
#pragma once

#include <memory>

#include "core/grid.hpp"
#include "motifs/application/amg/hierarchy.hpp"

namespace stressbench::amg {

struct Problem {
  Dims<3> points;  // of each rank
  Dims<3> ranks;
  double diagonal;  // of the matrix
};

// Returns the hierarchy that AMG's set-up finds, computed once per process; for more than a million points, one from a
// formula, so that neither the memory nor the time of a rank depends on the size of the job.
std::shared_ptr<const Hierarchy> hierarchy_of(const Problem& problem);

}  // namespace stressbench::amg
