// The parts of check(): internal to check_*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workload/check.hpp"

namespace stressbench::workload {

// Jobs by themselves: names, that each has nodes and motifs, that something is measured.
void check_jobs(const Workload& workload, Diagnostics& diagnostics);

// Jobs on one node: that all of them agreed to it, and that their ranks fit.
void check_sharing(const Workload& workload, const std::optional<Machine>& machine, Diagnostics& diagnostics);

// Nodes: that they exist, are free or may be shared, and have enough ranks. Returns each job's number of ranks where it
// is known.
std::vector<std::optional<std::int64_t>> check_nodes(const Workload& workload, const std::optional<Machine>& machine,
                                                     const Policy& policy, Diagnostics& diagnostics);

// Motifs of one job: names, options, values, and what they demand of the number of ranks.
void check_motifs(Job& job, std::optional<std::int64_t> ranks, const Catalogue& catalogue, Diagnostics& diagnostics);

}  // namespace stressbench::workload
