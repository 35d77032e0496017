// The machine for the checker: nodes, each with its number of ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench::workload {

struct Machine {
  std::vector<int> ranks;  // of each node; 0 where it is not known (`check --nodes N` alone)

  // Throws UserMistake for fewer than 1 node, or more nodes or ranks than most_nodes (node_list.hpp).
  static Machine uniform(std::int64_t nodes, std::int64_t ranks_per_node);
  int nodes() const noexcept { return static_cast<int>(ranks.size()); }
};

}  // namespace stressbench::workload
