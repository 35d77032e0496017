// Current activity of this rank, for the messages of the signal handler and the messages and records of faults.
#pragma once

#include <string>

#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// A copy of the name that exists until the program ends; equal names share one copy.
const char* interned(const std::string& name);

// Names are interned, since they may be read after all other objects were destroyed.
struct RankStatus {
  const char* job = nullptr;
  int job_number = -1;
  const char* motif = nullptr;
  int rank = -1;  // in the whole launch
  int round = 0;
  bool reports_signals = false;  // prints a line when a signal arrives: the first two ranks of each job
};
RankStatus& rank_status() noexcept;

// "job TeaLeaf, motif halo2d, rank 3 on host a1, round 5"
std::string describe(const RankStatus& status, const std::string& host);
// The record of a fault on this rank. Unknown fields stay empty.
Fault fault_of(const RankStatus& status, const std::string& host, std::string cause);

}  // namespace stressbench::scheduler
