// The numbers of ranks of nodes as text, in the notation of Slurm's SLURM_TASKS_PER_NODE: `16(x3),8`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/machine.hpp"

namespace stressbench::workload {

struct NodeSizes {
  struct Run {
    int ranks = 0;  // of each node
    int nodes = 1;  // successive ones
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> runs;
  bool is_list = false;  // false: one run, for any number of nodes

  // Parses `16` (nodes of 16 ranks, in any number) or a list of all nodes, `16(x3),8`. Throws UserMistake, which names
  // the item, for anything else, and for more nodes or ranks than a machine has.
  static NodeSizes parse(std::string_view text);
  std::string spell() const;

  std::int64_t nodes() const noexcept;  // of a list
  std::int64_t ranks() const noexcept;  // of a list
  // The node of a rank, if each node has the ranks after those of the node before it.
  int node_of(int rank) const noexcept;
  Machine machine() const;  // of a list

  bool operator==(const NodeSizes&) const = default;
};

}  // namespace stressbench::workload
