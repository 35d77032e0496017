// Builds the records of a launch, its jobs and the MPI library.
#pragma once

#include "scheduler/chain.hpp"
#include "scheduler/records.hpp"
#include "scheduler/run_options.hpp"

namespace stressbench::scheduler {

// The record of a job on `ranks` ranks. No MPI.
JobRecord describe_job(const workload::Job& job, const Chain& chain, int ranks);
LibraryRecord describe_library();

// The header of a launch, without the command, the workload and its jobs. World rank 0 only. Measures the clock.
Header describe_launch(const RunOptions& options, const EarlierLaunches& earlier, const Machine& machine,
                       const Clock& clock);
// The inverse: the options that a launch had, for the launches that continue its run.
RunOptions options_of_run(const Header& header);

}  // namespace stressbench::scheduler
