// Offsets between the clocks of different hosts, for times that span ranks: from the first start to the last end.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "mpi/group.hpp"

namespace stressbench {

// Returns this rank's clock minus rank 0's, in nanoseconds; 0 on rank 0. Collective over the group, which needs only
// one rank per host. Cristian's algorithm (Distributed Computing 3, 1989) along a binomial tree: log2(ranks) steps,
// each of which uses the fastest of 20 round trips. The error is at most log2(ranks) times half such a round trip.
std::int64_t clock_offset_ns(const mpi::Group& group, const Clock& clock);

}  // namespace stressbench
