// Command check: reports all mistakes in a workload, without an MPI launch.

#include <memory>

#include "commands/command.hpp"
#include "commands/workloads.hpp"
#include "core/console.hpp"
#include "telemetry/selection.hpp"

namespace stressbench::commands {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> sets;
  MachineOptions machine;
  std::string placement = "linear";
  std::string telemetry = "auto";
};

int check(const CheckOptions& options) {
  const auto machine = machine_of(options.machine);
  telemetry::selected_sources(options.telemetry);
  const workload::Workload workload = load_file(options.file, options.sets, machine, policy_of(options.placement));
  if (machine) {
    console::print(stdout, "{}: {} job{} fit\n", options.file, workload.jobs.size(),
                   workload.jobs.size() == 1 ? "" : "s");
  } else {
    console::print(stdout,
                   "{}: {} job{}, no errors found; give --nodes and --ranks-per-node to check the placement too\n",
                   options.file, workload.jobs.size(), workload.jobs.size() == 1 ? "" : "s");
  }
  return exit_success;
}

}  // namespace

void add_check(CLI::App& program, Context& context) {
  CLI::App* command =
      program.add_subcommand("check",
                             "Reports all errors in a workload, with file, line and column. Needs no MPI launch. "
                             "Exit status 0 or 2.\n"
                             "  stressbench-mpi check workloads/paper/listing1.sb --nodes 104 --ranks-per-node 16");
  const auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->file, "workload file (.sb)")->required();
  add_set_option(*command, options->sets);
  add_place_option(*command, options->placement);
  add_machine_options(*command, options->machine);
  command->add_option("--telemetry", options->telemetry, "sources of telemetry of the run, to check their names")
      ->capture_default_str();
  command->callback([&context, options] { context.selected_command = [options] { return check(*options); }; });
}

}  // namespace stressbench::commands
