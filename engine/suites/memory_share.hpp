// How much memory a rank has, from which b_eff and b_eff_io take their longest messages and chunks.
#pragma once

#include "core/units.hpp"
#include "mpi/group.hpp"

namespace stressbench {

// Collective. The machine's memory, or what the control group allows of it, divided by the ranks of `group` on that
// node; the least of all nodes.
Bytes memory_per_rank(const mpi::Group& group);

}  // namespace stressbench
