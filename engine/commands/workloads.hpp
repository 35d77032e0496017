// Functions for workload files and faults that several commands use.
#pragma once

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "motifs/motif.hpp"
#include "scheduler/machine.hpp"
#include "scheduler/records.hpp"
#include "workload/check.hpp"
#include "workload/node_sizes.hpp"

namespace stressbench::commands {

// The message for an unknown motif: "'halo' is not a motif; did you mean 'halo2d'?"
std::string unknown_motif(const std::string& name);

// Loads a workload file with variables from the command line ("name=value") and the environment. Throws Rejected with
// all mistakes. Without a machine, nodes and ranks are not checked.
workload::Workload load_file(const std::string& path, const std::vector<std::string>& sets,
                             const std::optional<workload::Machine>& machine,
                             const workload::PlacementPolicy& policy = {});
// Loads a workload from text; `name` replaces the file name in messages.
workload::Workload load_text(const std::string& text, const std::string& name,
                             const std::optional<workload::Machine>& machine);
// Parses the text of a workload that rank 0 has loaded. Motifs, options and nodes are not checked again.
workload::Workload parse_loaded(const std::string& text, const std::string& name);

// Replaces [NODES] by explicit nodes and returns the placement of each job.
std::vector<workload::JobPlacement> place(workload::Workload& workload, const workload::Machine& machine,
                                          const workload::PlacementPolicy& policy);

// Parses the value of `--place`. Throws UserMistake.
workload::PlacementPolicy policy_of(const std::string& text);

// Add --set and --place, which several commands have.
void add_set_option(CLI::App& command, std::vector<std::string>& sets);
void add_place_option(CLI::App& command, std::string& placement);

// Restricts an option to decimal digits, as in core/units. CLI11 would read 010 as octal and -1 as 2^64-1.
CLI::Option* decimal_digits_only(CLI::Option* option);

// Adds --ranks-per-node, a number or a list of all nodes (workload/node_sizes.hpp).
CLI::Option* add_ranks_per_node_option(CLI::App& command, std::optional<std::string>& text, const std::string& help);
// The value of --ranks-per-node; none without the option.
std::optional<workload::NodeSizes> sizes_of(const std::optional<std::string>& ranks_per_node);

// Options of `check` and `describe` that give the size of the machine, since there is no launch.
struct MachineOptions {
  std::optional<int> nodes;
  std::optional<int> ranks;
  std::optional<std::string> ranks_per_node;
};
void add_machine_options(CLI::App& command, MachineOptions& options);
// The machine that the options describe; none without options. Throws UserMistake if they contradict each other.
std::optional<workload::Machine> machine_of(const MachineOptions& options);

// The nodes of the launch as a machine for the checker. Rank 0 only.
workload::Machine workload_machine(const scheduler::Machine& machine);

// Prints why and where this rank fails, and ends the launch with `status`. A machine fault is first passed to
// `listener`.
[[noreturn]] void end_launch(const mpi::Group& world, const std::string& cause, int status,
                             const scheduler::FaultListener& listener);

// Runs `work` on every rank. A rank on which `work` fails ends the launch, since other ranks may be waiting for it.
template <class Work>
auto run_or_end_launch(
    const mpi::Group& world, Work work, const scheduler::FaultListener& listener = [](const scheduler::Fault&) {}) {
  try {
    return work();
  } catch (const UserMistake& mistake) {
    end_launch(world, mistake.what(), exit_user_mistake, listener);
  } catch (const MachineFault& fault) {
    end_launch(world, fault.what(), exit_machine_fault, listener);
  } catch (const std::bad_alloc&) {
    end_launch(world, out_of_memory, exit_machine_fault, listener);
  } catch (const std::length_error&) {
    end_launch(world, list_too_long, exit_machine_fault, listener);
  }
}

}  // namespace stressbench::commands
