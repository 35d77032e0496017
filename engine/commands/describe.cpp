// Command describe: prints a motif's options, or the traffic of a workload.
#include "scheduler/describe.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>

#include "commands/command.hpp"
#include "commands/workloads.hpp"
#include "core/console.hpp"
#include "output/json.hpp"
#include "output/motif_page.hpp"
#include "workload/node_list.hpp"

namespace stressbench::commands {
namespace {

struct DescribeOptions {
  std::string subject;
  std::vector<std::string> sets;
  MachineOptions machine;
  std::string placement = "linear";
  bool json = false;
};

int describe_motif(const DescribeOptions& options) {
  const std::unique_ptr<Motif> motif = MotifCatalogue::instance().make(options.subject);
  for (const CatalogueEntry& entry : MotifCatalogue::instance().entries()) {
    if (!parameter_detail::same_name(entry.name, options.subject)) continue;
    if (options.json) {
      console::print(stdout, "{}\n", output::motif_json(entry, *motif).dump(2));
    } else {
      console::print(stdout, "{}", output::motif_page(entry, *motif));
    }
  }
  return exit_success;
}

// One job as text: its chain, and the traffic of each step if the number of ranks is known.
std::string job_page(const workload::Job& job, const scheduler::Chain& chain, std::optional<int> ranks) {
  std::string text = fmt::format("job {} ({})", job.name, name_of(job.role));
  if (job.nodes) text += fmt::format(", nodes {}", workload::compress(*job.nodes));
  if (ranks) text += fmt::format(", {} ranks", *ranks);
  text += "\n";
  for (const scheduler::ChainStep& step : chain.steps()) {
    const std::int64_t times = step.executions * step.motif->iterations();
    std::string options;
    for (const Parameter* parameter : step.motif->parameters()) {
      if (parameter->was_given()) options += fmt::format(" --{} {}", parameter->name(), parameter->text());
    }
    text += fmt::format("  {}{}: {} time{} per repetition", step.name, options, times, times == 1 ? "" : "s");
    if (ranks) text += fmt::format(", each {}", output::spell(step.motif->traffic(*ranks)));
    text += "\n";
  }
  return text;
}

// The lowest rank of each node in the launch.
std::vector<int> first_ranks(const workload::Machine& machine) {
  std::vector<int> first(machine.ranks.size(), 0);
  std::exclusive_scan(machine.ranks.begin(), machine.ranks.end(), first.begin(), 0);
  return first;
}

// The ranks of the launch that a job has, in the order of the job's own ranks.
std::string launch_ranks(const workload::JobPlacement& placement, const std::vector<int>& first_of_node) {
  std::vector<int> ranks;
  ranks.reserve(static_cast<std::size_t>(placement.ranks()));
  for (const workload::Share& share : placement.shares) {
    for (int k = 0; k < share.count; ++k)
      ranks.push_back(first_of_node[static_cast<std::size_t>(share.node)] + share.first + k);
  }
  return workload::compress(ranks);
}

// FILE:LINE of the job and of some of its keys; null for keys that the job does not have.
output::Json lines_of(const workload::JobPositions& where) {
  const auto line = [](const std::optional<workload::Position>& position) {
    if (!position) return output::Json(nullptr);
    const bool in_file = position->source != nullptr && position->line > 0;
    return output::Json(in_file ? fmt::format("{}:{}", position->source->path, position->line) : "--set");
  };
  return {{"name", line(where.name)},
          {"repeat", line(where.repeat)},
          {"min_time_s", line(where.min_time)},
          {"load", line(where.load)},
          {"rate_bytes_per_s", line(where.rate)}};
}

output::Json job_json(const workload::Job& job, int index, const scheduler::Chain& chain, std::optional<int> ranks) {
  output::Json json = output::to_json(scheduler::describe_job(job, chain, ranks.value_or(1)), index);
  if (!ranks) json["ranks"] = nullptr;
  json["lines"] = lines_of(job.where);
  for (std::size_t i = 0; i < chain.steps().size(); ++i) {
    json["steps"][i]["traffic"] =
        ranks ? output::to_json(chain.steps()[i].motif->traffic(*ranks)) : output::Json(nullptr);
    if (!ranks) json["steps"][i]["bandwidth_bytes"] = nullptr;
  }
  return json;
}

int describe_workload(const DescribeOptions& options) {
  const auto machine = machine_of(options.machine);
  const workload::PlacementPolicy policy = policy_of(options.placement);
  workload::Workload workload = load_file(options.subject, options.sets, machine, policy);
  std::vector<workload::JobPlacement> placements;
  std::vector<int> first_of_node;
  if (machine) {
    placements = place(workload, *machine, policy);
    first_of_node = first_ranks(*machine);
  }
  output::Json jobs = output::Json::array();
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const workload::Job& job = workload.jobs[i];
    std::optional<int> ranks;
    if (machine && placements[i].ranks() > 0) ranks = static_cast<int>(placements[i].ranks());
    const auto number = static_cast<int>(i);
    const scheduler::Chain chain{job, number};
    if (options.json) {
      jobs.push_back(job_json(job, number, chain, ranks));
      jobs.back()["launch_ranks"] =
          ranks ? output::Json(launch_ranks(placements[i], first_of_node)) : output::Json(nullptr);
    } else {
      console::print(stdout, "{}", job_page(job, chain, ranks));
    }
  }
  if (options.json) console::print(stdout, "{}\n", output::Json{{"path", options.subject}, {"jobs", jobs}}.dump(2));
  return exit_success;
}

int describe(const DescribeOptions& options) {
  if (MotifCatalogue::instance().make(options.subject)) return describe_motif(options);
  if (std::filesystem::exists(options.subject)) return describe_workload(options);
  throw UserMistake("describe: {}, and there is no such file", unknown_motif(options.subject));
}

}  // namespace

void add_describe(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "describe",
      "Describes a motif (its options) or a workload (the traffic of each job). Needs no MPI launch.\n"
      "  stressbench-mpi describe halo2d\n"
      "  stressbench-mpi describe workloads/demo.sb --nodes 4 --ranks-per-node 2");
  const auto options = std::make_shared<DescribeOptions>();
  command->add_option("SUBJECT", options->subject, "name of a motif, or workload file")->required();
  add_set_option(*command, options->sets);
  add_place_option(*command, options->placement);
  command->add_flag("--json", options->json, "print JSON");
  add_machine_options(*command, options->machine);
  command->callback([&context, options] { context.selected_command = [options] { return describe(*options); }; });
}

}  // namespace stressbench::commands
