// What the records say about jobs and about the MPI library.
#pragma once

#include "scheduler/chain.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// The record of a job on that many ranks. No MPI.
JobRecord describe_job(const workload::Job& job, const Chain& chain, int ranks);
LibraryRecord describe_library();

}  // namespace stressbench::scheduler
