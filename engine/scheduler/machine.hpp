// The nodes of the launch, and their ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mpi/group.hpp"

namespace stressbench::scheduler {

struct Node {
  std::string host;
  std::optional<int> cores;
  std::vector<int> ranks;  // world ranks, ascending
};

struct Machine {
  int ranks = 0;
  std::optional<int> ranks_per_node;  // K of --ranks-per-node; none: nodes are the ranks that share memory
  int nodes = 0;                      // known to every rank
  int my_node = 0;
  int my_slot = 0;                // index of this rank among the ranks of its node
  std::vector<Node> table;        // rank 0 only, indexed by node
  std::vector<int> node_of_rank;  // rank 0 only

  const std::string& host_of(int rank) const {
    return table[static_cast<std::size_t>(node_of_rank[static_cast<std::size_t>(rank)])].host;
  }
};

// Collective over `world`. A node is a set of ranks that share memory, or K consecutive ranks if given. Nodes are
// numbered in order of their lowest rank. Throws UserMistake if K does not divide the number of ranks.
Machine discover(const mpi::Group& world, std::optional<int> ranks_per_node);

// The name of this rank's host according to MPI.
std::string host_name();

}  // namespace stressbench::scheduler
