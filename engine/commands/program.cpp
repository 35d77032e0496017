#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>
#include <stdexcept>

#include "commands/command.hpp"
#include "core/console.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "io/load.hpp"
#include "output/version.hpp"
#include "scheduler/describe.hpp"

namespace stressbench::commands {
namespace {

// The optional storage backends and, for missing ones, the packages to install.
std::string backends_text() {
  std::string text;
  for (const io::OptionalBackend& backend : io::load_backends()) {
    text += fmt::format("storage backend {}: {}\n", backend.name,
                        backend.missing.empty() ? "available" : "missing, " + backend.missing);
  }
  return text;
}

std::string version_text() {
  const scheduler::LibraryRecord library = scheduler::describe_library();
  const std::string commit = output::commit;
  return fmt::format("{} {}{}\nMPI library: {} (flavour: {}; MPI standard {})\ncompiler: {}, {}\n{}", output::program,
                     output::version, commit.empty() ? "" : " (" + commit + ")", library.library, library.flavour,
                     library.standard, output::compiler, output::build_type, backends_text());
}

void print_error(const std::string& message) {
  if (prints_messages()) console::print(stderr, "{}{}", message, message.ends_with('\n') ? "" : "\n");
}

// Prints CLI11's message and returns the exit status: 0 for help and version, 2 for user mistakes.
int exit_with(const CLI::App& program, const CLI::ParseError& end) {
  const bool is_help_or_version = end.get_exit_code() == 0;
  std::ostringstream out;
  std::ostringstream err;
  program.exit(end, out, err);
  if (prints_messages()) console::write(stdout, out.str());
  if (prints_messages()) console::write(stderr, err.str());
  return is_help_or_version ? exit_success : exit_user_mistake;
}

// Throws UserMistake if the first word is not a command. CLI11 would only report that a command is missing.
void check_first_word(const CLI::App& program, const std::string& word) {
  if (program.get_option_no_throw(word) != nullptr) return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const auto guess = nearest(word, names);
  throw UserMistake(fmt::format("{}: '{}' is not a command{}; commands are {} (see --help)", output::program, word,
                                guess ? fmt::format(", did you mean '{}'?", *guess) : "", fmt::join(names, ", ")));
}

}  // namespace

bool prints_messages() noexcept { return mpi::launched_rank().value_or(0) == 0; }

int on_root(const mpi::Group& world, const std::function<void()>& work) {
  int status = exit_success;
  if (world.rank() == 0) {
    try {
      work();
    } catch (const UserMistake& mistake) {
      print_error(mistake.what());
      status = exit_user_mistake;
    } catch (const MachineFault& fault) {
      print_error(std::string("stressbench-mpi: ") + fault.what());
      status = exit_machine_fault;
    } catch (const std::bad_alloc&) {
      print_error(std::string("stressbench-mpi: ") + out_of_memory);
      status = exit_machine_fault;
    } catch (const std::length_error&) {
      print_error(std::string("stressbench-mpi: ") + list_too_long);
      status = exit_machine_fault;
    }
  }
  mpi::check(MPI_Bcast(&status, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
  return status;
}

void broadcast(const mpi::Group& world, std::string& text) {
  auto size = static_cast<std::int64_t>(text.size());
  mpi::check(MPI_Bcast(&size, 1, MPI_INT64_T, 0, world.handle()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(size));
  mpi::check(MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, world.handle()), "MPI_Bcast");
}

void add_threads_option(CLI::App& command, mpi::Threads& threads) {
  command.add_flag(
      "--mpi-thread-multiple", [&threads](std::int64_t) { threads = mpi::Threads::multiple; },
      "start MPI with MPI_THREAD_MULTIPLE, which the motif `threads` needs; it may slow down all MPI calls");
}

namespace {

int run_command(int argc, char** argv, const Start& start) {
  CLI::App program{
      "Measures the effect of network congestion on applications: runs several jobs in one MPI launch, each of them\n"
      "isolated and contended.\n\n"
      "  stressbench-mpi check workloads/demo.sb --nodes 4 --ranks-per-node 2\n"
      "  mpirun -n 8 stressbench-mpi run workloads/demo.sb --ranks-per-node 2 --output demo.jsonl\n"
      "  mpirun -n 2 stressbench-mpi motif pingpong --sizes 8,8KiB,1MiB\n",
      output::program};
  program.set_version_flag("--version", version_text);
  program.require_subcommand(1);
  Context context{start, {argv + 1, argv + argc}, {}};
  add_run(program, context);
  add_motif(program, context);
  add_list(program, context);
  add_describe(program, context);
  add_calls(program, context);
  add_check(program, context);
  add_telemetry(program, context);
  add_ranks(program, context);
  try {
    if (argc > 1) check_first_word(program, argv[1]);
    program.parse(argc, argv);
    return context.selected_command();
  } catch (const CLI::ParseError& end) {
    return exit_with(program, end);
  } catch (const UserMistake& mistake) {
    print_error(mistake.what());
    return exit_user_mistake;
  } catch (const MachineFault& fault) {
    print_error(std::string("stressbench-mpi: ") + fault.what());
    return exit_machine_fault;
  } catch (const std::bad_alloc&) {
    print_error(std::string("stressbench-mpi: ") + out_of_memory);
    return exit_machine_fault;
  } catch (const std::length_error&) {
    print_error(std::string("stressbench-mpi: ") + list_too_long);
    return exit_machine_fault;
  }
}

}  // namespace

int run_program(int argc, char** argv, const Start& start) {
  const int status = run_command(argc, argv, start);
  const auto fault = console::fault();
  if (!fault || !prints_messages()) return status;
  print_error("stressbench-mpi: " + *fault);
  return status == exit_success ? exit_machine_fault : status;
}

}  // namespace stressbench::commands
