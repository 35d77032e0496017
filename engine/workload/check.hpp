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

// Adds to parsed.diagnostics every mistake that is left, none that follows from another one, and puts the catalogue's
// names of motifs and the long names of options into parsed.workload. Without a machine, node numbers and what depends
// on the number of ranks are not checked (they are where a job gives its nodes and [RANKS_PER_NODE]).
void check(Parsed& parsed, const Catalogue& catalogue, const std::optional<Machine>& machine,
           const Policy& policy = {});

// Reads and checks. Throws Rejected with all mistakes at once.
Workload load(const std::string& path, const ReadFile& read, const Catalogue& catalogue,
              const std::optional<Machine>& machine, const std::vector<Setting>& settings = {},
              const Policy& policy = {});

}  // namespace stressbench::workload
