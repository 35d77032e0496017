// Waiting without using anything: neither a core nor the network.
#pragma once

#include "mpi/group.hpp"

namespace stressbench::scheduler {

// How a rank waits. `arriving`: others are on their way; pauses grow from 50 us to 5 ms. `parked`: others measure;
// pauses are 5 ms from the start, since a rank that wakes among working ones disturbs them, and grow by an eighth each
// to 50 ms, so that a rank is late by at most an eighth of what it waited, or 5 ms.
enum class WaitPhase { arriving, parked };

// Collective. A nonblocking barrier, tested with pauses: parked ranks take below 1 % of a core. Follow it by
// Group::barrier where ranks must start together.
void sleeping_barrier(const mpi::Group& group, WaitPhase phase);

// Waits for a request in the same way.
void sleeping_wait(MPI_Request& request, WaitPhase phase);

}  // namespace stressbench::scheduler
