// How far clocks of different hosts are apart, so that "from the first rank that begins to the last one that ends"
// means something there.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "mpi/group.hpp"

namespace stressbench {

// This rank's clock - rank 0's, in nanoseconds; 0 on rank 0. Collective over the group; a rank a host will do.
// Cristian's algorithm (Distributed Computing 3, 1989) along a binomial tree: log2(ranks) steps, each the fastest of 20
// messages to and fro, so that it is wrong by at most log2(ranks) times half of such a round trip.
std::int64_t clock_offset_ns(const mpi::Group& group, const Clock& clock);

}  // namespace stressbench
