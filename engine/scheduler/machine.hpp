// The nodes of the launch, and their ranks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/group.hpp"
#include "workload/node_sizes.hpp"

namespace stressbench::scheduler {

struct Node {
  std::string host;
  std::optional<int> cores;
  int ranks = 0;
};

struct Machine {
  int ranks = 0;
  std::optional<workload::NodeSizes> ranks_per_node;  // --ranks-per-node; none: nodes are the ranks that share memory
  int nodes = 0;                                      // known to every rank
  int my_node = 0;
  int my_slot = 0;                // index of this rank among the ranks of its node
  std::vector<Node> table;        // rank 0 only, indexed by node
  std::vector<int> node_of_rank;  // rank 0 only

  const std::string& host_of(int rank) const {
    return table[static_cast<std::size_t>(node_of_rank[static_cast<std::size_t>(rank)])].host;
  }
};

// Collective over `world`. A node is a set of ranks that share memory, or the consecutive ranks that `sizes` gives it.
// Nodes are numbered in order of their lowest rank. Throws UserMistake if the sizes do not make up the ranks.
Machine discover(const mpi::Group& world, const std::optional<workload::NodeSizes>& sizes);

// The ranks of all nodes, in two lists.
class RanksOfNodes {
 public:
  // World rank 0 only.
  explicit RanksOfNodes(const Machine& machine);
  // World ranks, ascending.
  std::span<const int> of(int node) const {
    const auto at = static_cast<std::size_t>(node);
    return std::span(ranks_).subspan(first_[at], first_[at + 1] - first_[at]);
  }

 private:
  std::vector<std::size_t> first_;  // index in `ranks_` of the first rank of each node, and of its end
  std::vector<int> ranks_;          // by node, then by rank
};

// The name of this rank's host according to MPI.
std::string host_name();

}  // namespace stressbench::scheduler
