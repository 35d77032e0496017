// Stopping criterion: a signal asked for the end of the run.
#pragma once

#include "mpi/group.hpp"
#include "scheduler/interrupt.hpp"

namespace stressbench::scheduler::stopping {

// Reached when any rank received SIGINT, SIGTERM, SIGUSR1 or SIGALRM. Evaluated on world rank 0 before each round.
class Interruption {
 public:
  // Collective over `world`, called after each round, since a signal may have reached any rank.
  void gather(const mpi::Group& world) {
    const int own_requested = interrupt::requested() ? 1 : 0;
    int any_requested = own_requested;
    mpi::check(MPI_Reduce(&own_requested, &any_requested, 1, MPI_INT, MPI_MAX, 0, world.handle()), "MPI_Reduce");
    if (world.rank() == 0) requested_ = any_requested != 0;
  }
  bool reached() const noexcept { return requested_ || interrupt::requested(); }

 private:
  bool requested_ = false;
};

}  // namespace stressbench::scheduler::stopping
