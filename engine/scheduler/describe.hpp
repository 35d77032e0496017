// Builds the records of jobs and of the MPI library.
#pragma once

#include "scheduler/chain.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// The record of a job on `ranks` ranks. No MPI.
JobRecord describe_job(const workload::Job& job, const Chain& chain, int ranks);
LibraryRecord describe_library();

}  // namespace stressbench::scheduler
