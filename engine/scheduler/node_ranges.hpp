// Successive nodes of the same kind as one value, so that the header of a run does not grow with the number of nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/machine.hpp"

namespace stressbench::scheduler {

// Nodes with the same number of cores, each of which has the ranks of the node before it, all higher by `rank_step`.
struct NodeRange {
  int first = 0;
  int count = 1;
  std::string hosts;      // one name if all nodes have the same, else a list (core/host_list.hpp) in the order of nodes
  bool same_host = true;  // whether `hosts` is one name
  std::optional<int> cores;
  std::string ranks;  // of the first node, in the notation of [NID_LIST]
  int rank_step = 0;
};

// Up to this many nodes, each is a range of its own, as in files of version 0.1.
inline constexpr int max_single_nodes = 64;

// All nodes of the machine, in as few ranges as possible if there are more than `max_single`. World rank 0 only.
std::vector<NodeRange> node_ranges(const Machine& machine, int max_single = max_single_nodes);

}  // namespace stressbench::scheduler
