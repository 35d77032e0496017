// Being told to stop: SIGINT, SIGTERM and SIGUSR1 (which Open MPI's and MPICH's launchers forward) ask for the end of
// the run after the present round; the same again, half a second later or more, ends the program at once.
#pragma once

#include <string>

namespace stressbench::scheduler::interrupt {

void watch();
bool requested() noexcept;

// A copy that lasts as long as the program; the same for equal names.
const char* interned(const std::string& name);

// What this rank is doing, for the message that the signal handler and a fault's report print: when everything else has
// been taken down, so names are lasting ones.
struct RankStatus {
  const char* job = nullptr;
  const char* motif = nullptr;
  int rank = -1;
  int round = 0;
  bool reports_signals = false;  // prints a line when a signal comes: the first ranks of each job do
};
RankStatus& rank_status() noexcept;
// "job TeaLeaf, motif halo2d, rank 3 on host a1, round 5"
std::string describe(const RankStatus& here, const std::string& host);

}  // namespace stressbench::scheduler::interrupt
