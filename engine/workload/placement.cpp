#include "workload/placement.hpp"

#include <algorithm>
#include <map>

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

// The nodes that no list names, as runs of consecutive nodes.
class FreeNodes {
 public:
  FreeNodes(const Workload& workload, const Machine& machine) {
    std::vector<bool> taken(machine.ranks.size(), false);
    for (const Job& job : workload.jobs) {
      if (!job.nodes) continue;
      for (const int node : *job.nodes) {
        if (node >= machine.nodes())
          throw UserMistake("job " + in_quotes(job.name) + ": node " + std::to_string(node) + " does not exist");
        taken[static_cast<std::size_t>(node)] = true;
      }
    }
    for (int node = 0; node < machine.nodes(); ++node) {
      if (taken[static_cast<std::size_t>(node)]) continue;
      if (runs_.empty() || runs_.back().first + runs_.back().count != node) runs_.push_back({node, 0});
      ++runs_.back().count;
      ++count_;
    }
  }

  std::size_t count() const noexcept { return count_; }
  std::vector<int> all() const {
    std::vector<int> nodes;
    nodes.reserve(count_);
    for (const Run& run : runs_) append(run.first, run.count, nodes);
    return nodes;
  }

  // Takes the lowest `count` consecutive nodes, or the lowest ones if there are not as many consecutive ones. Runs only
  // shrink, so that a search for as many nodes as an earlier one continues where that ended: all searches together take
  // as many steps as there are runs, for each distinct count.
  void take(int count, std::vector<int>& nodes) {
    std::size_t& at = first_fit_[count];
    while (at < runs_.size() && runs_[at].count < count) ++at;
    if (at < runs_.size()) return take_from(runs_[at], count, nodes);
    while (count > 0) {
      while (runs_[lowest_].count == 0) ++lowest_;
      const int taken = std::min(count, runs_[lowest_].count);
      take_from(runs_[lowest_], taken, nodes);
      count -= taken;
    }
  }

 private:
  struct Run {
    int first = 0;
    int count = 0;
  };

  static void append(int first, int count, std::vector<int>& nodes) {
    for (int node = first; node < first + count; ++node) nodes.push_back(node);
  }
  static void take_from(Run& run, int count, std::vector<int>& nodes) {
    append(run.first, count, nodes);
    run.first += count;
    run.count -= count;
  }

  std::vector<Run> runs_;
  std::size_t count_ = 0;
  std::size_t lowest_ = 0;                // all runs before it are empty
  std::map<int, std::size_t> first_fit_;  // by count: all runs before it have fewer nodes
};

using NodesOfJobs = std::vector<std::vector<int>>;

void place_linear(const std::vector<std::size_t>& requested, FreeNodes free, NodesOfJobs& nodes) {
  for (std::size_t job = 0; job < requested.size(); ++job) {
    if (requested[job] > 0) free.take(static_cast<int>(requested[job]), nodes[job]);
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
  const FreeNodes free(workload, machine);
  std::size_t all = 0;
  for (const std::size_t count : requested) all += count;
  if (all > free.count())
    throw UserMistake("jobs ask for " + std::to_string(all) + " nodes, " + std::to_string(free.count()) + " are free");
  NodesOfJobs nodes(workload.jobs.size());
  switch (policy.strategy) {
    case PlacementStrategy::linear:
      place_linear(requested, free, nodes);
      break;
    case PlacementStrategy::interleaved:
      place_interleaved(requested, free.all(), nodes);
      break;
    case PlacementStrategy::random:
      place_random(requested, free.all(), policy.seed, nodes);
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
