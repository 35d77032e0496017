// Waiting with very low use of the core and the network.
#pragma once

#include "mpi/group.hpp"

namespace stressbench::scheduler {

// The reason for waiting. `arriving`: other ranks are about to arrive, and pauses grow from 50 us to 5 ms. `parked`:
// other ranks measure. Pauses then start at 5 ms, since each wake-up disturbs working ranks, and grow by an eighth each
// up to 50 ms, so that a rank is late by at most an eighth of its waiting time, or 5 ms.
enum class WaitPhase { arriving, parked };

// Collective. A nonblocking barrier that is tested with pauses in between: parked ranks use less than 1 % of a core.
// Call Group::barrier after it if ranks must start at the same time.
void sleeping_barrier(const mpi::Group& group, WaitPhase phase);

// Waits for a request in the same way.
void sleeping_wait(MPI_Request& request, WaitPhase phase);

}  // namespace stressbench::scheduler
