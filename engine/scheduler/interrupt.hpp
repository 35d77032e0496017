// Stop signals: SIGINT, SIGTERM, SIGUSR1 (which the launchers of Open MPI and MPICH forward) and SIGALRM (which Flux
// sends at a job's time limit) end the run after the current round. A second one, at least half a second later, ends
// the program at once.
#pragma once

namespace stressbench::scheduler::interrupt {

// Installs handlers for the stop signals until the program ends.
void install_handlers();
// Whether a stop signal arrived.
bool requested() noexcept;

}  // namespace stressbench::scheduler::interrupt
