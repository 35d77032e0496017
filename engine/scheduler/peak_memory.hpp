// The largest resident memory of the ranks of a launch.
#pragma once

#include <optional>

#include "mpi/group.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// Collective over `world`. None on ranks other than 0, and if it is unknown on any rank.
std::optional<PeakMemory> reduce_peak_memory(const mpi::Group& world);

}  // namespace stressbench::scheduler
