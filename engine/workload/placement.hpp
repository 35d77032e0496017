// Placement: the nodes of each job (StressBench, Figure 3), and the ranks on these nodes. Pure functions of workload,
// machine and policy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/machine.hpp"
#include "workload/model.hpp"

namespace stressbench::workload {

enum class PlacementStrategy { linear, interleaved, random };

struct PlacementPolicy {
  PlacementStrategy strategy = PlacementStrategy::linear;
  std::uint64_t seed = 0;  // for PlacementStrategy::random
  bool operator==(const PlacementPolicy&) const = default;
};

// Parses `linear`, `interleaved` or `random:SEED`. Throws UserMistake for anything else.
PlacementPolicy parse_policy(std::string_view text);
std::string spell(const PlacementPolicy& policy);

// A job's share of one node: the node's ranks first .. first + count - 1, counted from its lowest rank.
struct Share {
  int node = 0;
  int first = 0;
  int count = 0;
  bool operator==(const Share&) const = default;
};

struct JobPlacement {
  std::vector<Share> shares;  // in the order of [NID_LIST], or in ascending order of nodes for [NODES]
  std::vector<int> nodes() const;
  std::int64_t ranks() const noexcept;
};

// Explicit lists are kept. [NODES] jobs get free nodes, in the order of the jobs in the workload:
//   linear       the lowest contiguous block of free nodes of that size, or the lowest free nodes if there is none
//   interleaved  free nodes in ascending order, distributed round-robin among the jobs that still need nodes
//   random       free nodes in an order that depends only on the seed, the first ones to the first job, and so on
// On a node shared by several jobs (only possible with [NID_LIST]), the first job of the workload has the lowest ranks.
// Throws UserMistake if a job does not fit; `check` reports the same with positions.
std::vector<JobPlacement> place(const Workload& workload, const Machine& machine, const PlacementPolicy& policy);

// The nodes of each job, without regard to ranks.
std::vector<std::vector<int>> place_nodes(const Workload& workload, const Machine& machine,
                                          const PlacementPolicy& policy);

}  // namespace stressbench::workload
