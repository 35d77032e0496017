#include <algorithm>
#include <iterator>

#include "workload/checks.hpp"
#include "workload/limits.hpp"
#include "workload/node_list.hpp"

namespace stressbench::workload {
namespace {

using RankCount = std::optional<std::int64_t>;

// Whether the job's nodes and ranks per node were read without a mistake.
bool is_known(const Job& job) {
  const bool one_key = !(job.where.nodes && job.where.node_count);
  const bool ranks_read = !job.where.ranks_per_node || job.ranks_per_node;
  return one_key && ranks_read && (job.nodes || job.node_count);
}

// Whether all nodes of [NID_LIST] exist; reports those that do not.
bool check_existence(const Job& job, const Machine& machine, Diagnostics& diagnostics) {
  if (!job.nodes) return true;
  const auto is_outside = [&](int node) { return node >= machine.nodes(); };
  std::vector<int> outside;
  std::ranges::copy_if(*job.nodes, std::back_inserter(outside), is_outside);
  if (outside.empty()) return true;
  const auto first = std::ranges::find_if(*job.nodes, is_outside) - job.nodes->begin();
  const bool one = outside.size() == 1;
  std::ranges::sort(outside);
  diagnostics.add(job.where.node_position(static_cast<int>(first)),
                  (one ? "node " : "nodes ") + compress(outside) + (one ? " does" : " do") + " not exist",
                  machine.nodes() == 1 ? "the machine has one node, 0; for several on one host, give --ranks-per-node"
                                       : "the machine has " + std::to_string(machine.nodes()) + " nodes: 0-" +
                                             std::to_string(machine.nodes() - 1));
  return false;
}

std::int64_t count_free(const std::vector<Job>& jobs, const Machine& machine) {
  std::vector<bool> taken(machine.ranks.size(), false);
  for (const Job& job : jobs) {
    if (!job.nodes) continue;
    for (const int node : *job.nodes) {
      if (node < machine.nodes()) taken[static_cast<std::size_t>(node)] = true;
    }
  }
  return std::ranges::count(taken, false);
}

// Checks that the [NODES] of all jobs fit together. Reports one mistake, at the first job that gets too few nodes.
void check_counts(const std::vector<Job>& jobs, const Machine& machine, Diagnostics& diagnostics) {
  const std::int64_t free = count_free(jobs, machine);
  const Job* unsatisfied = nullptr;
  std::int64_t remaining = free;
  std::int64_t requested = 0;
  for (const Job& job : jobs) {
    if (job.where.nodes || !job.node_count) continue;
    requested += *job.node_count;
    if (unsatisfied == nullptr && requested > free) unsatisfied = &job;
    if (unsatisfied == nullptr) remaining = free - requested;
  }
  if (unsatisfied == nullptr) return;
  diagnostics.add(*unsatisfied->where.node_count,
                  "job " + in_quotes(unsatisfied->name) + " asks for " + std::to_string(*unsatisfied->node_count) +
                      " nodes, " + std::to_string(remaining) + (remaining == 1 ? " is left" : " are left"),
                  (machine.nodes() == 1 ? "the machine has one node (for several on one host, give --ranks-per-node), "
                                        : "the machine has " + std::to_string(machine.nodes()) + " nodes, ") +
                      std::to_string(free) + " of them in no [NID_LIST]; all [NODES] together ask for " +
                      std::to_string(requested));
}

// The ranks that a job takes of a node. None if unknown, or if the node has too few, which is reported.
RankCount ranks_of_node(const Job& job, int node, const Machine& machine, Diagnostics& diagnostics) {
  const int available = machine.ranks[static_cast<std::size_t>(node)];
  const int requested = job.ranks_per_node.value_or(available);
  if (available > 0 && requested > available) {
    diagnostics.add(*job.where.ranks_per_node, "[RANKS_PER_NODE] is " + std::to_string(requested) + ", but node " +
                                                   std::to_string(node) + " has " + std::to_string(available) +
                                                   " ranks");
    return std::nullopt;
  }
  return requested > 0 ? RankCount(requested) : std::nullopt;
}

// Number of ranks of a job on these nodes. None if unknown.
RankCount count_ranks(const Job& job, const std::vector<int>& nodes, const Machine& machine, Diagnostics& diagnostics) {
  std::int64_t sum = 0;
  for (const int node : nodes) {
    const RankCount count = ranks_of_node(job, node, machine, diagnostics);
    if (!count) return std::nullopt;
    sum += *count;
  }
  return sum;
}

// The number of ranks of a job, unless it exceeds that of any launch, which is reported.
RankCount launchable(const Job& job, RankCount ranks, Diagnostics& diagnostics) {
  if (!ranks || *ranks <= limits::max_ranks) return ranks;
  diagnostics.add(job.where.ranks_per_node.value_or(job.where.name),
                  "job " + in_quotes(job.name) + " has " + std::to_string(*ranks) + " ranks, a launch at most " +
                      std::to_string(limits::max_ranks));
  return std::nullopt;
}

bool is_uniform(const Machine& machine) {
  return std::ranges::adjacent_find(machine.ranks, std::not_equal_to<>{}) == machine.ranks.end();
}

// Numbers of ranks on a machine of equal nodes, on which it does not matter which nodes the jobs with [NODES] get.
std::vector<RankCount> ranks_on_equal_nodes(const std::vector<Job>& jobs, const Machine& machine,
                                            const std::vector<bool>& known, Diagnostics& diagnostics) {
  std::vector<RankCount> ranks(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    const std::int64_t nodes = job.nodes ? std::ssize(*job.nodes) : job.node_count.value_or(0);
    if (!known[i] || nodes == 0 || (!job.nodes && nodes > machine.nodes())) continue;
    const RankCount each = ranks_of_node(job, job.nodes ? job.nodes->front() : 0, machine, diagnostics);
    if (each) ranks[i] = launchable(job, nodes * *each, diagnostics);
  }
  return ranks;
}

// The nodes of all jobs if there are no mistakes, else only those that do not depend on other jobs.
std::vector<std::vector<int>> nodes_of_jobs(const Workload& workload, const Machine& machine,
                                            const PlacementPolicy& policy, bool is_consistent) {
  if (is_consistent) return place_nodes(workload, machine, policy);
  std::vector<std::vector<int>> nodes;
  for (const Job& job : workload.jobs) nodes.push_back(job.nodes.value_or(std::vector<int>{}));
  return nodes;
}

}  // namespace

std::vector<RankCount> check_nodes(const Workload& workload, const std::optional<Machine>& machine,
                                   const PlacementPolicy& policy, Diagnostics& diagnostics) {
  const auto& jobs = workload.jobs;
  const std::size_t mistakes_before = diagnostics.total();
  std::vector<bool> known;
  for (const Job& job : jobs) {
    known.push_back(is_known(job) && (!machine || check_existence(job, *machine, diagnostics)));
  }
  check_sharing(workload, machine, diagnostics);
  if (machine) check_counts(jobs, *machine, diagnostics);
  const bool is_consistent = diagnostics.total() == mistakes_before && std::ranges::find(known, false) == known.end();

  std::vector<RankCount> ranks(jobs.size());
  if (!machine) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!known[i] || !jobs[i].ranks_per_node) continue;
      const std::size_t nodes = jobs[i].nodes ? jobs[i].nodes->size() : static_cast<std::size_t>(*jobs[i].node_count);
      ranks[i] = launchable(jobs[i], static_cast<std::int64_t>(nodes) * *jobs[i].ranks_per_node, diagnostics);
    }
    return ranks;
  }
  if (is_uniform(*machine)) return ranks_on_equal_nodes(jobs, *machine, known, diagnostics);
  const auto nodes = nodes_of_jobs(workload, *machine, policy, is_consistent);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (known[i] && !nodes[i].empty())
      ranks[i] = launchable(jobs[i], count_ranks(jobs[i], nodes[i], *machine, diagnostics), diagnostics);
  }
  return ranks;
}

}  // namespace stressbench::workload
