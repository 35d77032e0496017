// Checks of a trace and its total traffic, for `check` and `describe`, which run in one process.
#pragma once

#include <string>

#include "core/pattern.hpp"
#include "replay/operations.hpp"

namespace stressbench::replay {

// Throws ParameterMistake in `file` for a trace of a number of ranks other than `ranks`, and for one whose first rank
// makes a call that cannot be replayed. Reads two lines.
void check_trace(const std::string& path, int ranks, FileCalls files);

// Traffic of one execution of the sequence. `compute_s` is the measured time.
Traffic traffic_of(const std::string& path, int ranks, FileCalls files);

}  // namespace stressbench::replay
