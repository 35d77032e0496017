// Stopping criterion: a listener failed, such as the run file on a full disk.
#pragma once

#include "scheduler/machine.hpp"
#include "scheduler/rank_status.hpp"
#include "scheduler/run_reporter.hpp"

namespace stressbench::scheduler::stopping {

// Evaluated on world rank 0, before each round and at the end.
class ListenerFault {
 public:
  explicit ListenerFault(const RunReporter& reporter) : reporter_(reporter) {}
  bool reached() const noexcept { return reporter_.fault().has_value(); }

  // The fault as a record. It names no job and no motif, since none caused it.
  Fault record(const Machine& machine) const {
    RankStatus status;
    status.rank = 0;
    status.round = rank_status().round;
    return fault_of(status, machine.host_of(0), *reporter_.fault());
  }

 private:
  const RunReporter& reporter_;
};

}  // namespace stressbench::scheduler::stopping
