// Memory per rank, which determines the longest messages of b_eff and the chunks of b_eff_io.
#pragma once

#include "core/units.hpp"
#include "mpi/group.hpp"

namespace stressbench {

// Collective. The memory of a node, or the limit of its control group, divided by the ranks of `group` on that node;
// the minimum over all nodes.
Bytes memory_per_rank(const mpi::Group& group);

}  // namespace stressbench
