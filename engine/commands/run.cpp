// Command run: runs a workload in isolated and contended rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "commands/command.hpp"
#include "commands/workloads.hpp"
#include "core/console.hpp"
#include "core/run_id.hpp"
#include "core/simulation.hpp"
#include "output/link_socket.hpp"
#include "output/run_file.hpp"
#include "output/terminal.hpp"
#include "scheduler/host_telemetry.hpp"
#include "scheduler/session.hpp"
#include "scheduler/stall.hpp"
#include "telemetry/command.hpp"
#include "telemetry/selection.hpp"
#include "workload/print.hpp"

namespace stressbench::commands {
namespace {

constexpr Nanoseconds longest_telemetry_limit{60'000'000'000};

struct RunArguments {
  std::string file;
  std::string output;
  std::string continue_file;
  std::vector<std::string> sets;
  std::optional<std::string> ranks_per_node;
  std::optional<std::string> run_id;
  scheduler::RunOptions run;
  std::string finish{name_of(scheduler::Finish::sustain)};
  std::string until_interval;
  std::string min_time;
  std::string time_limit;
  std::string stall_limit;
  std::string telemetry = "auto";
  std::string telemetry_command;
  std::string telemetry_limit = "1s";
  bool verify = false;
  bool overwrite = false;
  bool quiet = false;
  mpi::Threads threads = mpi::Threads::single;
};

std::optional<Nanoseconds> duration_of(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    const Nanoseconds time = units::wall_duration(text);
    if (time.value > 0) return time;
  } catch (const UserMistake& mistake) {
    throw UserMistake("{}: '{}': {}", option, text, mistake.what());
  }
  throw UserMistake("{}: '{}': must be greater than 0", option, text);
}

std::optional<double> width_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    const double width = units::real(text);
    if (width > 0 && width < 1) return width;
  } catch (const UserMistake& mistake) {
    throw UserMistake("--until-interval: '{}': {}", text, mistake.what());
  }
  throw UserMistake("--until-interval: '{}': must lie between 0 and 1 (5% or 0.05)", text);
}

// The sources that the options select; none in simulations, whose hosts have no counters.
telemetry::Selection telemetry_of(const RunArguments& options) {
  telemetry::Selection selection = telemetry::selected_sources(options.telemetry);
  const auto limit = duration_of("--telemetry-limit", options.telemetry_limit);
  if (limit->seconds() > longest_telemetry_limit.seconds()) {
    throw UserMistake("--telemetry-limit: '{}': must be at most {:.0f}s", options.telemetry_limit,
                      longest_telemetry_limit.seconds());
  }
  if (!options.telemetry_command.empty()) {
    const std::chrono::nanoseconds time{limit->value};
    selection.sources.push_back({std::string(telemetry::command_source), "counters that a command prints",
                                 options.telemetry_command,
                                 [text = options.telemetry_command, time](const telemetry::FileTree&) {
                                   return std::make_unique<telemetry::Command>(text, time);
                                 }});
  }
  if (!simulation()) return selection;
  if (selection.is_named || !options.telemetry_command.empty())
    throw UserMistake("--telemetry: simulated hosts have no counters; leave it out");
  return {};
}

// Parses the option values. Needs no MPI; throws UserMistake on all ranks alike.
void parse_options(RunArguments& options) {
  if (options.run_id) run_id::check(*options.run_id);
  options.run.finish = Spelling<scheduler::Finish>::read(options.finish);
  options.run.until_interval = width_of(options.until_interval);
  options.run.min_time = duration_of("--min-time", options.min_time);
  options.run.time_limit = duration_of("--time-limit", options.time_limit);
  if (options.run.time_limit && *options.run.time_limit > output::longest_time_limit) {
    throw UserMistake("--time-limit: '{}': must be at most {:.0f}s", options.time_limit,
                      output::longest_time_limit.seconds());
  }
  options.run.verification = options.verify ? scheduler::Verification::on : scheduler::Verification::off;
  if (options.run.counts.isolated + options.run.counts.contended == 0)
    throw UserMistake("--isolated 0 --contended 0: nothing to run");
  if (options.run.until_interval && (options.run.counts.isolated == 0 || options.run.counts.contended == 0))
    throw UserMistake("--until-interval: needs isolated and contended rounds");
  (void)duration_of("--stall-limit", options.stall_limit);
  (void)policy_of(options.run.placement);
  (void)telemetry_of(options);
  if (options.continue_file.empty() == options.file.empty())
    throw UserMistake("run: give either a workload FILE or --continue RUN.jsonl (which contains its workload)");
}

// Sets the command line's defaults in the workload, so that the run file contains all settings.
void apply_options(workload::Workload& workload, const RunArguments& options) {
  for (workload::Job& job : workload.jobs) {
    if (!job.repeat) job.repeat = options.run.repetitions;
    if (!job.min_time) job.min_time = options.run.min_time;
  }
}

// Results of rank 0's preparation of the run.
struct PreparedRun {
  std::string text;  // the workload with explicit nodes
  std::string path;
  scheduler::EarlierLaunches earlier;
};

// Settings that rank 0 broadcasts; all others are in the workload's text.
struct BroadcastSettings {
  std::uint64_t seed = 0;
  std::int32_t warmup = 0;
  scheduler::Finish finish = scheduler::Finish::sustain;
  scheduler::Verification verification = scheduler::Verification::off;
};

void broadcast_settings(scheduler::RunOptions& options, const mpi::Group& world) {
  BroadcastSettings shared{options.seed, options.warmup, options.finish, options.verification};
  mpi::check(MPI_Bcast(&shared, static_cast<int>(sizeof(shared)), MPI_BYTE, 0, world.handle()), "MPI_Bcast");
  options.seed = shared.seed;
  options.warmup = shared.warmup;
  options.finish = shared.finish;
  options.verification = shared.verification;
  if (world.rank() == 0) options.launch = run_id::make();
  broadcast(world, options.run_id);
  broadcast(world, options.launch);
}

// The id of the run: that of the run file to be continued, since the names of earlier files contain it, or else that of
// --run-id, or a new one.
std::string run_id_for(const std::string& earlier, const RunArguments& options) {
  if (earlier.empty()) return options.run_id ? *options.run_id : run_id::make();
  if (options.run_id && *options.run_id != earlier) {
    throw UserMistake("--run-id: '{}' is not the id of '{}', which is '{}'; leave it out", *options.run_id,
                      options.continue_file, earlier);
  }
  run_id::check(earlier);
  return earlier;
}

PreparedRun prepare_new_run(RunArguments& options, const scheduler::Machine& machine) {
  const workload::Machine checker_machine = workload_machine(machine);
  const workload::PlacementPolicy policy = policy_of(options.run.placement);
  workload::Workload workload = load_file(options.file, options.sets, checker_machine, policy);
  place(workload, checker_machine, policy);
  apply_options(workload, options);
  options.run.run_id = run_id_for("", options);
  return {workload::print(workload), options.file, {}};
}

PreparedRun prepare_continued_run(RunArguments& options, const scheduler::Machine& machine,
                                  scheduler::ImpactTracker& tracker) {
  const output::ContinuedRun earlier = output::read_continued_run(options.continue_file, tracker);
  if (earlier.complete)
    throw UserMistake("--continue: '{}' is complete: there is nothing left to run", options.continue_file);
  if (earlier.ranks != machine.ranks || earlier.ranks_per_node != machine.ranks_per_node) {
    const auto spell = [](const std::optional<workload::NodeSizes>& sizes) {
      return sizes ? "--ranks-per-node " + sizes->spell() : std::string("no --ranks-per-node");
    };
    throw UserMistake("--continue: '{}' was started with {} ranks and {}; this launch has {} and {}",
                      options.continue_file, earlier.ranks, spell(earlier.ranks_per_node), machine.ranks,
                      spell(machine.ranks_per_node));
  }
  const auto limit = options.run.time_limit;
  const bool marked_for_tracers = options.run.marked_for_tracers;
  options.run = earlier.options;
  options.run.marked_for_tracers = marked_for_tracers;
  options.run.run_id = run_id_for(earlier.options.run_id, options);
  options.run.time_limit = limit;
  (void)load_text(earlier.workload_text, earlier.workload_path, workload_machine(machine));
  output::remove_unfinished_round(options.continue_file, earlier);
  return {earlier.workload_text, earlier.workload_path, earlier.launches};
}

// Collective. Null without telemetry. `status` becomes that of a mistake if a source that was named has no counters.
std::unique_ptr<scheduler::HostTelemetry> start_telemetry(const RunArguments& options, const mpi::Group& world,
                                                          const scheduler::Machine& machine, int& status) {
  const telemetry::Selection selection = telemetry_of(options);
  if (selection.sources.empty()) return nullptr;
  const std::chrono::nanoseconds limit{duration_of("--telemetry-limit", options.telemetry_limit)->value};
  auto counters =
      std::make_unique<scheduler::HostTelemetry>(world, machine, selection.sources, telemetry::kernel_files(), limit);
  status = on_root(world, [&] {
    for (const telemetry::SourceEntry& source : selection.sources) {
      const bool is_command = source.name == telemetry::command_source;
      const auto& absent = counters->absent();
      if (std::find(absent.begin(), absent.end(), source.name) == absent.end()) continue;
      if (is_command) {
        const auto faults = counters->take_faults();
        const auto fault = std::ranges::find(faults, source.name, &scheduler::TelemetryFault::source);
        throw UserMistake("--telemetry-command: '{}' {}", source.place,
                          fault == faults.end() ? "prints no counters" : fault->reason);
      }
      if (selection.is_named)
        throw UserMistake(
            "--telemetry: '{}': no host has such counters (in {}); `stressbench-mpi telemetry` lists what "
            "there is",
            source.name, source.place);
    }
  });
  return counters;
}

int exit_status(scheduler::EndReason reason) {
  if (reason == scheduler::EndReason::fault) return exit_machine_fault;
  return reason == scheduler::EndReason::interrupted ? exit_interrupted : exit_success;
}

// For `--continue`: rank 0 opens and locks the run file, and reads --ranks-per-node from it if not given. The value is
// broadcast, since every rank needs it to discover the nodes.
void open_continued_file(RunArguments& options, const mpi::Group& world, std::unique_ptr<output::RunFile>& file,
                         int& status) {
  std::string sizes = options.ranks_per_node.value_or("");
  status = on_root(world, [&] {
    if (options.continue_file.empty()) return;
    file = std::make_unique<output::RunFile>(options.continue_file, output::Existing::append);
    if (!sizes.empty()) return;
    scheduler::ImpactTracker ignored;
    const auto earlier = output::read_continued_run(options.continue_file, ignored).ranks_per_node;
    if (earlier) sizes = earlier->spell();
  });
  broadcast(world, sizes);
  if (!sizes.empty()) options.ranks_per_node = sizes;
}

// Collective. The workload of the launch. Ranks other than 0 get it without the nodes of the jobs, since rank 0 tells
// each of them its job: lists of nodes would need memory in proportion to the machine on every rank.
workload::Workload share_workload(const mpi::Group& world, const PreparedRun& start) {
  if (world.rank() == 0) {
    workload::Workload workload = parse_loaded(start.text, start.path);
    workload::Workload without_nodes = workload;
    for (workload::Job& job : without_nodes.jobs) job.nodes.reset();
    std::string text = workload::print(without_nodes);
    broadcast(world, text);
    return workload;
  }
  std::string text;
  broadcast(world, text);
  return parse_loaded(text, start.path);
}

int run_session(const mpi::Group& world, const scheduler::Machine& machine, const PreparedRun& start,
                const RunArguments& options, scheduler::ImpactTracker& tracker, output::RunFile* file,
                scheduler::HostTelemetry* telemetry, const Context& context,
                const scheduler::FaultListener& fault_listener) {
  const workload::Workload workload = share_workload(world, start);
  const MonotonicClock clock;
  output::Progress progress;
  output::Summary summary{tracker, stdout};
  std::vector<scheduler::Listener*> listeners{&tracker};
  if (file != nullptr) listeners.push_back(file);
  listeners.push_back(&progress);
  if (!options.quiet) listeners.push_back(&summary);
  std::optional<scheduler::stall::Watchdog> watch;
  if (const auto limit = duration_of("--stall-limit", options.stall_limit)) {
    watch.emplace(std::chrono::nanoseconds{limit->value}, [&fault_listener, limit, host = scheduler::host_name()] {
      scheduler::stall::end_program(*limit, host, fault_listener);
    });
  }
  scheduler::Session session{world, clock, machine, workload, options.run, listeners, tracker, start.earlier};
  const auto links = world.rank() == 0 ? output::link_counters_of_environment() : nullptr;
  if (links) session.set_link_counters(*links);
  if (telemetry != nullptr) session.set_telemetry(*telemetry);
  const scheduler::EndReason reason = session.run(context.arguments, start.text);
  if (session.fault()) console::print(stderr, "stressbench-mpi: {}\n", *session.fault());
  return exit_status(reason);
}

int run(RunArguments& options, const Context& context) {
  parse_options(options);
  const mpi::Group& world = context.start_mpi(options.threads);
  scheduler::interrupt::install_handlers();
  int status = exit_success;
  std::unique_ptr<output::RunFile> file;
  open_continued_file(options, world, file, status);
  if (status != exit_success) return status;
  const scheduler::Machine machine = scheduler::discover(world, sizes_of(options.ranks_per_node));
  const auto telemetry = start_telemetry(options, world, machine, status);
  if (status != exit_success) return status;
  scheduler::ImpactTracker tracker;
  PreparedRun start;
  const bool continued = !options.continue_file.empty();
  status = on_root(world, [&] {
    start = continued ? prepare_continued_run(options, machine, tracker) : prepare_new_run(options, machine);
    if (continued || options.output.empty()) return;
    file = std::make_unique<output::RunFile>(options.output,
                                             options.overwrite ? output::Existing::replace : output::Existing::refuse);
  });
  if (status != exit_success) return status;
  broadcast_settings(options.run, world);
  // A failing rank writes the fault record itself, since rank 0 may be waiting for it.
  std::string run_file = file ? std::filesystem::absolute(continued ? options.continue_file : options.output) : "";
  broadcast(world, run_file);
  const scheduler::FaultListener fault_listener = [&](const scheduler::Fault& fault) {
    if (!run_file.empty()) output::append_fault(run_file, options.run.run_id, fault);
  };
  return run_or_end_launch(
      world,
      [&] {
        return run_session(world, machine, start, options, tracker, file.get(), telemetry.get(), context,
                           fault_listener);
      },
      fault_listener);
}

}  // namespace

void add_run(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "run",
      "Runs a workload: rounds in which each job runs isolated and rounds in which all jobs run, in blocks of random "
      "order. Start it with mpirun or srun.\n"
      "  mpirun -n 8 stressbench-mpi run workloads/demo.sb --ranks-per-node 2 --output demo.jsonl\n"
      "Ctrl-C ends the run after the present round and keeps its results; --continue demo.jsonl resumes it.\n"
      "Exit status: 0 done, 2 invalid arguments or workload, 3 fault during the run, 130 interrupted.");
  const auto options = std::make_shared<RunArguments>();
  scheduler::RunOptions& run_options = options->run;
  command->add_option("FILE", options->file, "workload file (.sb)");
  command->add_option("-o,--output", options->output,
                      "run file to write (JSON Lines); without it, only the summary table is printed");
  command->add_option("--continue", options->continue_file,
                      "resume this run file where it stopped, with its workload and settings");
  command->add_option("--run-id", options->run_id,
                      "id of this run, of letters, digits, - and _, which is part of the names of files that motifs "
                      "create (default: from the time and random bits)");
  add_set_option(*command, options->sets);
  add_ranks_per_node_option(*command, options->ranks_per_node,
                            "treat every K consecutive ranks as a node, or give the ranks of all nodes, such as "
                            "16(x3),8 (default: the ranks that share memory)");
  decimal_digits_only(
      command->add_option("--isolated", run_options.counts.isolated, "isolated rounds of each measured job"))
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  decimal_digits_only(
      command->add_option("--contended", run_options.counts.contended, "contended rounds, in which all jobs run"))
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  decimal_digits_only(command->add_option("--repetitions", run_options.repetitions,
                                          "measured repetitions per round, for jobs without [REPEAT]"))
      ->check(CLI::Range(1L, 1000000000000L))
      ->capture_default_str();
  decimal_digits_only(command->add_option("--warmup", run_options.warmup,
                                          "repetitions at the start of each round that are not measured"))
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  command->add_option("--min-time", options->min_time,
                      "minimum time to measure a job in each round (30s), for jobs without [MIN_TIME]");
  command->add_option("--until-interval", options->until_interval,
                      "stop when the 95 % interval of every congestion impact is at most this wide, relative to the "
                      "estimate (5%); at least 6 blocks, at most --isolated/--contended rounds");
  command
      ->add_option("--finish", options->finish,
                   "what a job does when it has finished its repetitions in a contended round: keep running until all "
                   "jobs have (sustain), or stop (once)")
      ->check(CLI::IsMember(Spelling<scheduler::Finish>::names()))
      ->capture_default_str();
  add_place_option(*command, run_options.placement);
  decimal_digits_only(
      command->add_option("--seed", run_options.seed, "seed of the order of rounds and of the motifs' random numbers"))
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit,
                      "start no round that is expected to end later than this after the launch (25min)");
  command->add_option("--stall-limit", options->stall_limit,
                      "end the run if a rank makes no progress for this long (5min); MPI waits forever when a link is "
                      "down or a rank has ended");
  command
      ->add_option("--telemetry", options->telemetry,
                   "counters of the hosts to read between rounds: off, auto (all that there are), or sources such as "
                   "ethernet,cpu (stressbench-mpi telemetry lists them)")
      ->capture_default_str();
  command->add_option("--telemetry-command", options->telemetry_command,
                      "a shell command that prints more counters as a JSON object; started on each host before and "
                      "after each round");
  command
      ->add_option("--telemetry-limit", options->telemetry_limit,
                   "longest time for a reading; a source that takes longer is not read again")
      ->capture_default_str();
  add_threads_option(*command, options->threads);
  command->add_flag("--verify", options->verify, "check every byte that is received; the run is marked as verified");
  command->add_flag("--pcontrol", run_options.marked_for_tracers,
                    "call MPI_Pcontrol(1) before and MPI_Pcontrol(0) after each measured execution of a motif, so that "
                    "tracers record "
                    "only these");
  command->add_flag("--overwrite", options->overwrite, "replace an existing run file");
  command->add_flag("-q,--quiet", options->quiet, "do not print the summary table");
  command->callback(
      [&context, options] { context.selected_command = [&context, options] { return run(*options, context); }; });
}

}  // namespace stressbench::commands
