// Workload files and faults, for several commands.
#pragma once

#include <new>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "motifs/motif.hpp"
#include "scheduler/machine.hpp"
#include "scheduler/records.hpp"
#include "workload/check.hpp"

namespace stressbench::commands {

// "'halo' is not a motif; did you mean 'halo2d'?"
std::string unknown_motif(const std::string& name);

// A workload file, with [SET] values of the command line ("name=value") and of the environment. Throws Rejected with
// everything that is wrong; without a machine, what depends on nodes and ranks is not checked.
workload::Workload load_file(const std::string& path, const std::vector<std::string>& sets,
                             const std::optional<workload::Machine>& machine, const workload::Policy& policy = {});
// The same for a text; `name` stands for the file in messages.
workload::Workload load_text(const std::string& text, const std::string& name,
                             const std::optional<workload::Machine>& machine);

// Replaces [NODES] by explicit nodes and returns the number of ranks of each job.
std::vector<int> place(workload::Workload& workload, const workload::Machine& machine, const workload::Policy& policy);

// `--place` of the command line.
workload::Policy policy_of(const std::string& text);

// Options that several commands have: --set and --place.
void add_set_option(CLI::App& command, std::vector<std::string>& sets);
void add_place_option(CLI::App& command, std::string& placement);

// Makes an option take decimal digits alone, as core/units does: CLI11 would read 010 as octal and -1 as 2^64-1.
CLI::Option* in_digits(CLI::Option* option);

// Options of `check` and `describe` that give the size of the machine, since there is no launch.
struct MachineOptions {
  std::optional<int> nodes;
  std::optional<int> ranks;
  std::optional<int> ranks_per_node;
};
void add_machine_options(CLI::App& command, MachineOptions& options);
// None if neither nodes nor ranks were given. Throws UserMistake if they contradict each other.
std::optional<workload::Machine> machine_of(const MachineOptions& options);

// The launch in the checker's terms. Rank 0 only.
workload::Machine shape_of(const scheduler::Machine& machine);

// Prints why and where this rank fails, and ends the launch with this status. `listener` gets the record of a machine
// fault first.
[[noreturn]] void end_launch(const mpi::Group& world, const std::string& cause, int status,
                             const scheduler::FaultListener& listener);

// Runs `work` on every rank. A rank on which it fails ends the launch, since other ranks may be waiting for it.
template <class Work>
auto guarded(
    const mpi::Group& world, Work work, const scheduler::FaultListener& listener = [](const scheduler::Fault&) {}) {
  try {
    return work();
  } catch (const UserMistake& mistake) {
    end_launch(world, mistake.what(), exit_user_mistake, listener);
  } catch (const MachineFault& fault) {
    end_launch(world, fault.what(), exit_machine_fault, listener);
  } catch (const std::bad_alloc&) {
    end_launch(world, "out of memory", exit_machine_fault, listener);
  }
}

}  // namespace stressbench::commands
