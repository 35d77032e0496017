// Memory per rank, which determines the longest messages of b_eff and the chunks of b_eff_io.
#pragma once

#include "core/units.hpp"
#include "mpi/group.hpp"

namespace stressbench {

// Collective. The memory of a node, or the limit of its control group, divided by the ranks of `group` on that node;
// the minimum over all nodes.
Bytes memory_per_rank(const mpi::Group& group);

struct NodeMemory {
  Bytes memory;   // of a node, or the limit of its control group; the minimum over the nodes
  int ranks = 0;  // of `group` on a node; the maximum over the nodes
  int nodes = 0;
};

// Collective. The nodes of the ranks of `group`.
NodeMemory node_memory(const mpi::Group& group);

}  // namespace stressbench
