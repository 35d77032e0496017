// Which nodes each job runs on (StressBench, Figure 3), and which of their ranks. Pure functions of workload, machine
// and policy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/machine.hpp"
#include "workload/model.hpp"

namespace stressbench::workload {

enum class Placing { linear, interleaved, random };

struct Policy {
  Placing placing = Placing::linear;
  std::uint64_t seed = 0;  // of random
  bool operator==(const Policy&) const = default;
};

// `linear`, `interleaved` or `random:SEED`; throws UserMistake.
Policy parse_policy(std::string_view text);
std::string spell(const Policy& policy);

// A job's share of one node: ranks first .. first + count - 1 of the node's own, counted from its lowest.
struct Share {
  int node = 0;
  int first = 0;
  int count = 0;
  bool operator==(const Share&) const = default;
};

struct Placed {
  std::vector<Share> shares;  // a [NID_LIST] in its own order, [NODES] in ascending order of the nodes
  std::vector<int> nodes() const;
  std::int64_t ranks() const noexcept;
};

// Explicit lists are kept. [NODES] jobs get free nodes, in the order of the workload's jobs:
//   linear       the lowest block of that many free nodes in a row; the lowest free nodes where there is no such block
//   interleaved  free nodes are dealt in ascending order, one to each job that still needs one, in turns
//   random       free nodes in an order that follows from the seed alone, the first to the first job, and so on
// On a node shared by several jobs (only [NID_LIST] jobs are), the first job of the workload has the lowest ranks.
// Throws UserMistake where a job does not fit; `check` says so with positions.
std::vector<Placed> place(const Workload& workload, const Machine& machine, const Policy& policy);

// The nodes alone, whatever their ranks.
std::vector<std::vector<int>> place_nodes(const Workload& workload, const Machine& machine, const Policy& policy);

}  // namespace stressbench::workload
