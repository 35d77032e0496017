// Checks of a workload that depend on the motifs and the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/catalogue.hpp"
#include "workload/machine.hpp"
#include "workload/parse.hpp"
#include "workload/placement.hpp"

namespace stressbench::workload {

// Adds all remaining mistakes to parsed.diagnostics, except consequences of others, and replaces names in
// parsed.workload by the catalogue's motif names and the long option names. Without a machine, node numbers are not
// checked, and the number of ranks only for jobs with nodes and [RANKS_PER_NODE].
void check(Parsed& parsed, const Catalogue& catalogue, const std::optional<Machine>& machine,
           const PlacementPolicy& policy = {});

// Reads and checks a workload. Throws Rejected with all mistakes at once.
Workload load(const std::string& path, const ReadFile& read, const Catalogue& catalogue,
              const std::optional<Machine>& machine, const std::vector<Setting>& settings = {},
              const PlacementPolicy& policy = {});

}  // namespace stressbench::workload
