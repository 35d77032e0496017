// What several commands do with workload files and with faults.
#pragma once

#include <new>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "motifs/motif.hpp"
#include "scheduler/interrupt.hpp"
#include "scheduler/machine.hpp"
#include "workload/check.hpp"

namespace stressbench::commands {

// "'halo' is not a motif; did you mean 'halo2d'?"
std::string unknown_motif(const std::string& name);

// A workload file, with [SET] values of the command line ("name=value") and of the environment. Throws Rejected with
// everything that is wrong; without a machine, what depends on nodes and ranks is not checked.
workload::Workload load_file(const std::string& path, const std::vector<std::string>& sets,
                             const std::optional<workload::Machine>& machine, const workload::Policy& policy = {});
// The same of a text that never was a file; `name` stands for it in messages.
workload::Workload load_text(const std::string& text, const std::string& name,
                             const std::optional<workload::Machine>& machine);

// Puts nodes in place of [NODES]; gives each job's number of ranks.
std::vector<int> place(workload::Workload& workload, const workload::Machine& machine, const workload::Policy& policy);

// `--place` of the command line.
workload::Policy policy_of(const std::string& text);

// The machine that `check` and `describe` are asked about, where there is no launch.
struct MachineOptions {
  std::optional<int> nodes;
  std::optional<int> ranks;
  std::optional<int> ranks_per_node;
};
void add_machine_options(CLI::App& command, MachineOptions& options);
// None where neither nodes nor ranks were given. Throws UserMistake where they contradict each other.
std::optional<workload::Machine> machine_of(const MachineOptions& options);

// The launch as the checker sees it. Rank 0 only.
workload::Machine shape_of(const scheduler::Machine& machine);

[[noreturn]] void end_launch(const mpi::Group& world, const std::string& cause, int status);

// Runs `work` on every rank; a rank on which it fails says where, and ends the launch: the others may be waiting for
// it.
template <class Work>
auto guarded(const mpi::Group& world, Work work) {
  try {
    return work();
  } catch (const UserMistake& mistake) {
    end_launch(world, mistake.what(), exit_user_mistake);
  } catch (const MachineFault& fault) {
    end_launch(world, fault.what(), exit_machine_fault);
  } catch (const std::bad_alloc&) {
    end_launch(world, "out of memory", exit_machine_fault);
  }
}

}  // namespace stressbench::commands
