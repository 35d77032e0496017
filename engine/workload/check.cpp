#include "workload/check.hpp"

#include <map>
#include <string_view>

#include "workload/checks.hpp"

namespace stressbench::workload {
namespace {

bool has_nodes_key(const Job& job) { return job.where.nodes || job.where.node_count; }

void check_job(const Job& job, Diagnostics& diagnostics) {
  const std::string name = "job " + in_quotes(job.name);
  const std::string accepted = "accepted: [NID_LIST] 0-3 for nodes of your choice, [NODES] 4 for any";
  if (!has_nodes_key(job) && !job.where.motif_seen) {
    return diagnostics.add(job.where.name, name + " has neither nodes nor motifs", accepted);
  }
  if (!has_nodes_key(job)) diagnostics.add(job.where.name, name + " has neither [NID_LIST] nor [NODES]", accepted);
  if (!job.where.motif_seen) diagnostics.add(job.where.name, name + " has no [MOTIF]");
  if (job.where.nodes && job.where.node_count) {
    diagnostics.add(*job.where.node_count, name + " has both [NID_LIST] and [NODES]", accepted);
  } else if (job.shared && job.where.shared && job.where.node_count) {
    diagnostics.add(*job.where.shared, "[SHARED] needs [NID_LIST]: [NODES] gets nodes of its own");
  }
}

}  // namespace

void check_jobs(const Workload& workload, Diagnostics& diagnostics) {
  std::map<std::string_view, int> first_lines;
  bool measured = false;
  for (const Job& job : workload.jobs) {
    measured = measured || job.role == Role::measured;
    check_job(job, diagnostics);
    if (job.name.empty()) continue;  // reported by the parser
    const auto [first, is_new] = first_lines.try_emplace(job.name, job.where.name.line);
    if (!is_new) {
      diagnostics.add(job.where.name, "job " + in_quotes(job.name) + " is named twice",
                      "first in line " + std::to_string(first->second));
    }
  }
  if (!workload.jobs.empty() && !measured) {
    diagnostics.add(*workload.jobs.front().where.role, "every job is a congestor: nothing would be measured",
                    "leave out [ROLE] in at least one job");
  }
}

void check(Parsed& parsed, const Catalogue& catalogue, const std::optional<Machine>& machine,
           const PlacementPolicy& policy) {
  if (!parsed.complete) return;
  Workload& workload = parsed.workload;
  Diagnostics& diagnostics = parsed.diagnostics;
  if (workload.jobs.empty()) {
    if (diagnostics.empty()) diagnostics.add(parsed.start, "no [JOB_NAME]: nothing would run");
    return;
  }
  check_jobs(workload, diagnostics);
  const auto ranks = check_nodes(workload, machine, policy, diagnostics);
  for (std::size_t job = 0; job < workload.jobs.size(); ++job) {
    check_motifs(workload.jobs[job], ranks[job], catalogue, diagnostics);
  }
}

Workload load(const std::string& path, const ReadFile& read, const Catalogue& catalogue,
              const std::optional<Machine>& machine, const std::vector<Setting>& settings,
              const PlacementPolicy& policy) {
  Parsed parsed = parse(path, read, settings);
  check(parsed, catalogue, machine, policy);
  parsed.diagnostics.throw_if_any();
  return std::move(parsed.workload);
}

}  // namespace stressbench::workload
