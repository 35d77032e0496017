// A workload as canonical text, with includes and variables expanded and without comments. parse(print(w)) gives w.
#pragma once

#include <string>

#include "workload/model.hpp"

namespace stressbench::workload {

std::string print(const Workload& workload);

// One motif with its options, as written after [MOTIF].
std::string print(const MotifCall& call);

}  // namespace stressbench::workload
