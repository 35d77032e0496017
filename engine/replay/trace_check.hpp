// Checks of a trace and its total traffic, for the commands `check` and `describe`, which run in one process.
#pragma once

#include <string>

#include "core/pattern.hpp"
#include "replay/operations.hpp"
#include "trace/gaps.hpp"

namespace stressbench::replay {

// Throws ParameterMistake in `file` if the trace has another number of ranks, or if its rank 0 makes a call that cannot
// be replayed, or lacks the times that are wanted. Reads only the first two lines.
void check_trace(const std::string& path, int ranks, FileCalls files, GapTimes times);

// Traffic of one execution of the sequence over all ranks. `compute_s` is the measured time, averaged over the ranks.
Traffic traffic_of(const std::string& path, int ranks, FileCalls files);

}  // namespace stressbench::replay
