// What a whole trace sends, from all its lines: for `describe`, which has one process.
#pragma once

#include <string>

#include "core/pattern.hpp"
#include "replay/operations.hpp"

namespace stressbench::replay {

// Refuses, as ParameterMistake in `file`, a trace of another number of ranks than `ranks`, and one whose first rank
// calls what cannot be replayed. Reads two lines.
void check_trace(const std::string& path, int ranks, FileCalls files);

// One execution of the sequence. `compute_s` is what was measured.
Traffic traffic_of(const std::string& path, int ranks, FileCalls files);

}  // namespace stressbench::replay
