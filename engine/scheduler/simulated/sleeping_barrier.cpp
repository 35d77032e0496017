#include "scheduler/sleeping_barrier.hpp"

namespace stressbench::scheduler {

// Waiting ranks use no core, so that nothing is gained by pauses, which would cost host time for each simulated second.
// SimGrid's MPI_Ibarrier, if tested, is complete before all ranks have arrived.
void sleeping_wait(MPI_Request& request, WaitPhase) { mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait"); }

void sleeping_barrier(const mpi::Group& group, WaitPhase) { group.barrier(); }

}  // namespace stressbench::scheduler
