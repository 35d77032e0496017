#include "commands/workloads.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

#include "core/clock.hpp"
#include "core/console.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"
#include "scheduler/rank_status.hpp"

namespace stressbench::commands {

std::string unknown_motif(const std::string& name) {
  const std::string why = MotifCatalogue::instance().unavailable_reason(name);
  if (!why.empty()) return fmt::format("'{}' is not in this build: {}", name, why);
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : MotifCatalogue::instance().entries()) names.push_back(entry.name);
  const auto guess = nearest(name, names);
  return fmt::format("'{}' is not a motif; {}", name,
                     guess ? fmt::format("did you mean '{}'?", *guess) : "`stressbench-mpi list` names them");
}

workload::Workload load_file(const std::string& path, const std::vector<std::string>& sets,
                             const std::optional<workload::Machine>& machine, const workload::PlacementPolicy& policy) {
  std::vector<workload::Setting> settings =
      workload::environment_settings([](const char* name) { return std::getenv(name); });
  for (const std::string& set : sets) {
    try {
      settings.push_back(workload::parse_setting(set));
    } catch (const UserMistake& mistake) {
      throw UserMistake("--set: {}", mistake.what());
    }
  }
  return workload::load(path, workload::read_file, MotifCatalogue::instance(), machine, settings, policy);
}

workload::Workload load_text(const std::string& text, const std::string& name,
                             const std::optional<workload::Machine>& machine) {
  return workload::load(
      name, [&](const std::string&) { return text; }, MotifCatalogue::instance(), machine);
}

workload::Workload parse_loaded(const std::string& text, const std::string& name) {
  workload::Parsed parsed = workload::parse(name, [&](const std::string&) { return text; });
  parsed.diagnostics.throw_if_any();
  return std::move(parsed.workload);
}

std::vector<workload::JobPlacement> place(workload::Workload& workload, const workload::Machine& machine,
                                          const workload::PlacementPolicy& policy) {
  std::vector<workload::JobPlacement> placements = workload::place(workload, machine, policy);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    workload.jobs[i].nodes = placements[i].nodes();
    workload.jobs[i].node_count.reset();
  }
  return placements;
}

workload::PlacementPolicy policy_of(const std::string& text) {
  try {
    return workload::parse_policy(text);
  } catch (const UserMistake& mistake) {
    throw UserMistake("--place: {}", mistake.what());
  }
}

void add_set_option(CLI::App& command, std::vector<std::string>& sets) {
  command.add_option("--set", sets, "NAME=VALUE: overrides a [SET] of the workload (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
}

void add_place_option(CLI::App& command, std::string& placement) {
  command.add_option("--place", placement, "placement of jobs with [NODES]: linear, interleaved or random:SEED")
      ->capture_default_str();
}

CLI::Option* decimal_digits_only(CLI::Option* option) {
  return option->transform(CLI::Validator(
      [](std::string& text) -> std::string {
        try {
          text = std::to_string(units::integer<std::uint64_t>(text));
        } catch (const UserMistake& mistake) {
          return fmt::format("'{}': {}", text, mistake.what());
        }
        return "";
      },
      ""));
}

void add_machine_options(CLI::App& command, MachineOptions& options) {
  decimal_digits_only(command.add_option("--nodes", options.nodes, "nodes of the machine"))
      ->check(CLI::Range(1, 1 << 20));
  decimal_digits_only(command.add_option("--ranks", options.ranks, "ranks of the launch"))
      ->check(CLI::Range(1, 1 << 30));
  add_ranks_per_node_option(command, options.ranks_per_node, "ranks of each node, such as 16 or 16(x3),8");
}

CLI::Option* add_ranks_per_node_option(CLI::App& command, std::optional<std::string>& text, const std::string& help) {
  return command.add_option("--ranks-per-node", text, help)
      ->check(CLI::Validator(
          [](const std::string& given) -> std::string {
            try {
              (void)workload::NodeSizes::parse(given);
            } catch (const UserMistake& mistake) {
              return mistake.what();
            }
            return "";
          },
          ""));
}

std::optional<workload::NodeSizes> sizes_of(const std::optional<std::string>& ranks_per_node) {
  return ranks_per_node ? std::optional(workload::NodeSizes::parse(*ranks_per_node)) : std::nullopt;
}

namespace {

// The machine that a list of nodes' sizes describes, with which the other options have to agree.
workload::Machine machine_of_list(const workload::NodeSizes& sizes, const MachineOptions& options) {
  const auto require = [&](const char* option, std::optional<int> given, std::int64_t listed, const char* unit) {
    if (!given || *given == listed) return;
    throw UserMistake("--ranks-per-node {} has {} {}, not {} {}", sizes.spell(), listed, unit, option, *given);
  };
  require("--nodes", options.nodes, sizes.nodes(), "nodes");
  require("--ranks", options.ranks, sizes.ranks(), "ranks");
  return sizes.machine();
}

}  // namespace

std::optional<workload::Machine> machine_of(const MachineOptions& options) {
  const std::optional<workload::NodeSizes> sizes = sizes_of(options.ranks_per_node);
  if (!options.nodes && !options.ranks && !sizes) return std::nullopt;
  if (sizes && sizes->is_list) return machine_of_list(*sizes, options);
  const std::optional<int> each = sizes ? std::optional(sizes->runs.front().ranks) : std::nullopt;
  if (options.nodes && options.ranks && each && std::int64_t{*options.nodes} * *each != *options.ranks) {
    throw UserMistake("--nodes {} with --ranks-per-node {} makes {} ranks, not --ranks {}", *options.nodes, *each,
                      std::int64_t{*options.nodes} * *each, *options.ranks);
  }
  if (!options.nodes && !options.ranks) throw UserMistake("--ranks-per-node: needs --nodes or --ranks");
  if (!options.ranks) return workload::Machine::uniform(*options.nodes, each.value_or(0));
  // Only --ranks: one node, like a launch on one host without --ranks-per-node.
  const int per_node = each.value_or(*options.ranks / options.nodes.value_or(1));
  if (per_node == 0 || *options.ranks % per_node != 0) {
    throw UserMistake("--ranks {} cannot be divided evenly into nodes of {}", *options.ranks,
                      each ? fmt::format("--ranks-per-node {}", per_node) : fmt::format("--nodes {}", *options.nodes));
  }
  return workload::Machine::uniform(*options.ranks / per_node, per_node);
}

workload::Machine workload_machine(const scheduler::Machine& machine) {
  workload::Machine shape;
  for (const scheduler::Node& node : machine.table) shape.ranks.push_back(node.ranks);
  return shape;
}

void end_launch(const mpi::Group& world, const std::string& cause, int status,
                const scheduler::FaultListener& listener) {
  // A failure of all ranks is printed only once: the other ranks wait, so that rank 0 can print it and end them.
  if (world.rank() != 0) sleep_for(300'000'000);
  const auto& rank_state = scheduler::rank_status();
  const std::string host = scheduler::host_name();
  if (status == exit_machine_fault) listener(scheduler::fault_of(rank_state, host, cause));
  console::print(stderr, "stressbench-mpi: {} ({})\n", cause, scheduler::describe(rank_state, host));
  std::fflush(stderr);
  mpi::abort(world, status);
}

}  // namespace stressbench::commands
