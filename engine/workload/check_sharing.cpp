#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "workload/checks.hpp"
#include "workload/node_list.hpp"

namespace stressbench::workload {
namespace {

constexpr const char* sharing_rule = "jobs can share a node only if each of them has [SHARED] yes and [RANKS_PER_NODE]";

struct Use {
  int node = 0;
  std::size_t job = 0;
  int index = 0;  // of the node in the job's list
};

// All uses of nodes by [NID_LIST], sorted by node, then by job.
std::vector<Use> uses_of(const std::vector<Job>& jobs) {
  std::vector<Use> uses;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    if (!jobs[job].nodes) continue;
    int index = 0;
    for (const int node : *jobs[job].nodes) uses.push_back({node, job, index++});
  }
  std::ranges::stable_sort(uses, {}, &Use::node);
  return uses;
}

bool may_share(const Job& job) { return job.shared && job.where.ranks_per_node; }

class SharingCheck {
 public:
  SharingCheck(const std::vector<Job>& jobs, const std::optional<Machine>& machine, Diagnostics& diagnostics)
      : jobs_(jobs), machine_(machine), diagnostics_(diagnostics) {}

  void run() {
    const std::vector<Use> uses = uses_of(jobs_);
    for (std::size_t first = 0; first < uses.size();) {
      std::size_t end = first + 1;
      while (end < uses.size() && uses[end].node == uses[first].node) ++end;
      if (end - first > 1) check_node(std::span(uses).subspan(first, end - first));
      first = end;
    }
    for (const auto& [later, conflict] : conflicts_) report_conflict(jobs_[later.first], jobs_[later.second], conflict);
    for (const auto& [job, use] : oversubscribed_) report_oversubscribed(use);
  }

 private:
  struct Conflict {
    std::vector<int> nodes;
    int index = 0;  // smallest index of these nodes in the later job's list
  };

  void check_node(std::span<const Use> uses) {
    const Use& owner = uses.front();
    std::int64_t requested = jobs_[owner.job].ranks_per_node.value_or(0);
    for (const Use& use : uses.subspan(1)) {
      requested += jobs_[use.job].ranks_per_node.value_or(0);
      if (may_share(jobs_[owner.job]) && may_share(jobs_[use.job])) {
        if (requested > ranks_of(use.node)) oversubscribed_.try_emplace(use.job, std::pair(use, requested));
        continue;
      }
      Conflict& conflict = conflicts_[{use.job, owner.job}];
      conflict.index = conflict.nodes.empty() ? use.index : std::min(conflict.index, use.index);
      conflict.nodes.push_back(use.node);
    }
  }

  std::int64_t ranks_of(int node) const {
    const bool known = machine_ && node < machine_->nodes() && machine_->ranks[static_cast<std::size_t>(node)] > 0;
    return known ? machine_->ranks[static_cast<std::size_t>(node)] : max_nodes * std::int64_t{max_nodes};
  }

  void report_conflict(const Job& later, const Job& earlier, const Conflict& conflict) {
    const bool one = conflict.nodes.size() == 1;
    diagnostics_.add(later.where.node_position(conflict.index),
                     (one ? "node " : "nodes ") + compress(conflict.nodes) + (one ? " belongs" : " belong") +
                         " to job " + in_quotes(earlier.name) + " (line " + std::to_string(earlier.where.name.line) +
                         ")",
                     sharing_rule);
  }

  void report_oversubscribed(const std::pair<Use, std::int64_t>& oversubscribed) {
    const auto& [use, requested] = oversubscribed;
    diagnostics_.add(jobs_[use.job].where.node_position(use.index),
                     "node " + std::to_string(use.node) + " has " + std::to_string(ranks_of(use.node)) +
                         " ranks, but the jobs on it want " + std::to_string(requested));
  }

  const std::vector<Job>& jobs_;
  const std::optional<Machine>& machine_;
  Diagnostics& diagnostics_;
  std::map<std::pair<std::size_t, std::size_t>, Conflict> conflicts_;  // later job, earlier job
  std::map<std::size_t, std::pair<Use, std::int64_t>>
      oversubscribed_;  // first job that does not fit -> use, ranks wanted
};

}  // namespace

void check_sharing(const Workload& workload, const std::optional<Machine>& machine, Diagnostics& diagnostics) {
  SharingCheck(workload.jobs, machine, diagnostics).run();
}

}  // namespace stressbench::workload
