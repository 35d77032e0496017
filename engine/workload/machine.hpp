// The machine as seen by the checker: its nodes with their numbers of ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench::workload {

struct Machine {
  std::vector<int> ranks;  // per node; 0: unknown (`check --nodes N` alone)

  // A machine of equal nodes. Throws UserMistake for fewer than 1 node, more nodes or ranks per node than max_nodes
  // (node_list.hpp), or more than limits::max_ranks.
  static Machine uniform(std::int64_t nodes, std::int64_t ranks_per_node);
  int nodes() const noexcept { return static_cast<int>(ranks.size()); }
};

}  // namespace stressbench::workload
