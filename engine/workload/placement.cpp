#include "workload/placement.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "core/suggest.hpp"
#include "workload/limits.hpp"
#include "workload/node_list.hpp"

namespace stressbench::workload {
namespace {

// Stream for core/random.hpp, above the streams of all jobs.
constexpr std::uint32_t placement_stream = 0xFFFF'FF01;

// Number of nodes that each job requests by [NODES]; 0 for the others.
std::vector<std::size_t> requested_nodes(const Workload& workload) {
  std::vector<std::size_t> requested;
  for (const Job& job : workload.jobs) {
    requested.push_back(job.nodes ? 0 : static_cast<std::size_t>(job.node_count.value_or(0)));
  }
  return requested;
}

std::vector<int> free_nodes(const Workload& workload, const Machine& machine) {
  std::vector<bool> taken(machine.ranks.size(), false);
  for (const Job& job : workload.jobs) {
    for (const int node : job.nodes.value_or(std::vector<int>{})) {
      if (node >= machine.nodes())
        throw UserMistake("job " + in_quotes(job.name) + ": node " + std::to_string(node) + " does not exist");
      taken[static_cast<std::size_t>(node)] = true;
    }
  }
  std::vector<int> free;
  for (int node = 0; node < machine.nodes(); ++node) {
    if (!taken[static_cast<std::size_t>(node)]) free.push_back(node);
  }
  return free;
}

// Index in `free` of the first `count` nodes with consecutive numbers; 0 if there are none.
std::size_t block_start(const std::vector<int>& free, std::size_t count) {
  std::size_t start = 0;
  for (std::size_t at = 0; at < free.size(); ++at) {
    if (at > 0 && free[at] != free[at - 1] + 1) start = at;
    if (at - start + 1 == count) return start;
  }
  return 0;
}

using NodesOfJobs = std::vector<std::vector<int>>;

void place_linear(const std::vector<std::size_t>& requested, std::vector<int> free, NodesOfJobs& nodes) {
  for (std::size_t job = 0; job < requested.size(); ++job) {
    if (requested[job] == 0) continue;
    const auto first = free.begin() + static_cast<std::ptrdiff_t>(block_start(free, requested[job]));
    const auto last = first + static_cast<std::ptrdiff_t>(requested[job]);
    nodes[job].assign(first, last);
    free.erase(first, last);
  }
}

void place_interleaved(const std::vector<std::size_t>& requested, const std::vector<int>& free, NodesOfJobs& nodes) {
  std::vector<std::size_t> unsatisfied_jobs;
  for (std::size_t job = 0; job < requested.size(); ++job) {
    if (requested[job] > 0) unsatisfied_jobs.push_back(job);
  }
  for (std::size_t next = 0; !unsatisfied_jobs.empty();) {
    for (const std::size_t job : unsatisfied_jobs) nodes[job].push_back(free[next++]);
    std::erase_if(unsatisfied_jobs, [&](std::size_t job) { return nodes[job].size() == requested[job]; });
  }
}

void place_random(const std::vector<std::size_t>& requested, const std::vector<int>& free, std::uint64_t seed,
                  NodesOfJobs& nodes) {
  const auto order = random_permutation({seed, placement_stream, 0, 0}, static_cast<int>(free.size()));
  std::size_t next = 0;
  for (std::size_t job = 0; job < requested.size(); ++job) {
    for (std::size_t i = 0; i < requested[job]; ++i)
      nodes[job].push_back(free[static_cast<std::size_t>(order[next++])]);
    std::ranges::sort(nodes[job]);
  }
}

}  // namespace

NodesOfJobs place_nodes(const Workload& workload, const Machine& machine, const PlacementPolicy& policy) {
  const auto requested = requested_nodes(workload);
  const auto free = free_nodes(workload, machine);
  std::size_t all = 0;
  for (const std::size_t count : requested) all += count;
  if (all > free.size())
    throw UserMistake("jobs ask for " + std::to_string(all) + " nodes, " + std::to_string(free.size()) + " are free");
  NodesOfJobs nodes(workload.jobs.size());
  switch (policy.strategy) {
    case PlacementStrategy::linear:
      place_linear(requested, free, nodes);
      break;
    case PlacementStrategy::interleaved:
      place_interleaved(requested, free, nodes);
      break;
    case PlacementStrategy::random:
      place_random(requested, free, policy.seed, nodes);
      break;
  }
  for (std::size_t job = 0; job < nodes.size(); ++job) {
    if (workload.jobs[job].nodes) nodes[job] = *workload.jobs[job].nodes;
  }
  return nodes;
}

Machine Machine::uniform(std::int64_t nodes, std::int64_t ranks_per_node) {
  if (nodes < 1 || nodes > max_nodes)
    throw UserMistake("a machine has 1 to " + std::to_string(max_nodes) + " nodes, not " + std::to_string(nodes));
  if (ranks_per_node < 0 || ranks_per_node > max_nodes)
    throw UserMistake("a node cannot have " + std::to_string(ranks_per_node) + " ranks");
  if (nodes * ranks_per_node > limits::max_ranks) {
    throw UserMistake("a launch has at most " + std::to_string(limits::max_ranks) + " ranks, not " +
                      std::to_string(nodes * ranks_per_node));
  }
  return {std::vector<int>(static_cast<std::size_t>(nodes), static_cast<int>(ranks_per_node))};
}

PlacementPolicy parse_policy(std::string_view text) {
  const std::vector<std::string> names = {"linear", "interleaved", "random:SEED"};
  constexpr std::string_view random = "random:";
  if (lower_case(text) == names[0]) return {PlacementStrategy::linear, 0};
  if (lower_case(text) == names[1]) return {PlacementStrategy::interleaved, 0};
  if (lower_case(text.substr(0, random.size())) == random) {
    try {
      return {PlacementStrategy::random, static_cast<std::uint64_t>(units::integer(text.substr(random.size())))};
    } catch (const UserMistake& mistake) {
      throw UserMistake("placement " + in_quotes(text) + ": the seed " + mistake.what());
    }
  }
  const auto near = nearest(text, names);
  throw UserMistake("placement " + in_quotes(text) + " must be linear, interleaved or random:SEED" +
                    (near ? "; did you mean '" + *near + "'?" : ""));
}

std::string spell(const PlacementPolicy& policy) {
  if (policy.strategy == PlacementStrategy::random) return "random:" + std::to_string(policy.seed);
  return policy.strategy == PlacementStrategy::linear ? "linear" : "interleaved";
}

std::vector<int> JobPlacement::nodes() const {
  std::vector<int> all;
  all.reserve(shares.size());
  for (const Share& share : shares) all.push_back(share.node);
  return all;
}

std::int64_t JobPlacement::ranks() const noexcept {
  std::int64_t sum = 0;
  for (const Share& share : shares) sum += share.count;
  return sum;
}

std::vector<JobPlacement> place(const Workload& workload, const Machine& machine, const PlacementPolicy& policy) {
  const NodesOfJobs nodes = place_nodes(workload, machine, policy);
  std::vector<int> used(machine.ranks.size(), 0);  // ranks of each node that are taken
  std::vector<JobPlacement> placements(nodes.size());
  for (std::size_t job = 0; job < nodes.size(); ++job) {
    for (const int node : nodes[job]) {
      const auto at = static_cast<std::size_t>(node);
      const int count = workload.jobs[job].ranks_per_node.value_or(machine.ranks[at]);
      if (machine.ranks[at] > 0 && count > machine.ranks[at] - used[at]) {
        throw UserMistake("job " + in_quotes(workload.jobs[job].name) + " wants " + std::to_string(count) +
                          " ranks of node " + std::to_string(node) + ", which has " +
                          std::to_string(machine.ranks[at] - used[at]) + " left");
      }
      placements[job].shares.push_back({node, used[at], count});
      used[at] += count;
    }
  }
  return placements;
}

}  // namespace stressbench::workload
