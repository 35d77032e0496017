// A workload as canonical text: what would run, without comments, includes and variables. parse(print(w)) gives w
// again.
#pragma once

#include <string>

#include "workload/model.hpp"

namespace stressbench::workload {

std::string print(const Workload& workload);

// One motif with its options, as it stands behind [MOTIF].
std::string print(const MotifCall& call);

}  // namespace stressbench::workload
