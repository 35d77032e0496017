// Waiting without using anything: neither a core nor the network.
#pragma once

#include "mpi/group.hpp"

namespace stressbench::schedule {

// Collective. A nonblocking barrier, tested with growing pauses (50 us to 5 ms): ranks that have nothing to do take
// below 1 % of a core, and leave up to 5 ms late. Follow it by Group::barrier where ranks must start together.
void gentle_barrier(const mpi::Group& group);

// Waits for a request in the same way.
void gentle_wait(MPI_Request& request);

}  // namespace stressbench::schedule
