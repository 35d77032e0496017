// Stop signals: SIGINT, SIGTERM and SIGUSR1 (which the launchers of Open MPI and MPICH forward) end the run after the
// present round; a second one, at least half a second later, ends the program at once.
#pragma once

#include <string>

namespace stressbench::scheduler::interrupt {

// Installs handlers of the stop signals until the program ends.
void install_handlers();
// Whether a stop signal arrived.
bool requested() noexcept;

// A copy of the name that lives as long as the program; equal names share one.
const char* interned(const std::string& name);

// What this rank is doing, for the messages of the signal handler and of faults. Names are interned: they are read when
// all other objects may be gone.
struct RankStatus {
  const char* job = nullptr;
  const char* motif = nullptr;
  int rank = -1;
  int round = 0;
  bool reports_signals = false;  // prints a line when a signal arrives: the first two ranks of each job
};
RankStatus& rank_status() noexcept;
// "job TeaLeaf, motif halo2d, rank 3 on host a1, round 5"
std::string describe(const RankStatus& here, const std::string& host);

}  // namespace stressbench::scheduler::interrupt
