// The parts of check(): internal to check_*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workload/check.hpp"

namespace stressbench::workload {

// Checks that jobs have distinct names, nodes and motifs, and that at least one job is measured.
void check_jobs(const Workload& workload, Diagnostics& diagnostics);

// Checks that all jobs on a shared node allow sharing, and that their ranks fit.
void check_sharing(const Workload& workload, const std::optional<Machine>& machine, Diagnostics& diagnostics);

// Checks that nodes exist, are free or may be shared, and have enough ranks. Returns each job's number of ranks, or
// none if it is unknown.
std::vector<std::optional<std::int64_t>> check_nodes(const Workload& workload, const std::optional<Machine>& machine,
                                                     const PlacementPolicy& policy, Diagnostics& diagnostics);

// Checks the motifs of one job: names, options, values, and requirements on the number of ranks.
void check_motifs(Job& job, std::optional<std::int64_t> ranks, const Catalogue& catalogue, Diagnostics& diagnostics);

}  // namespace stressbench::workload
