// Command motif: runs one motif on all ranks as a microbenchmark.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "commands/command.hpp"
#include "commands/workloads.hpp"
#include "core/console.hpp"
#include "core/run_id.hpp"
#include "core/statistics.hpp"
#include "output/json.hpp"
#include "output/motif_page.hpp"
#include "output/result_file.hpp"
#include "output/terminal.hpp"
#include "scheduler/microbenchmark.hpp"
#include "scheduler/rank_status.hpp"
#include "workload/options.hpp"

namespace stressbench::commands {
namespace {

struct MeasureOptions {
  std::string name;
  std::vector<std::string> motif_arguments;
  std::string sizes;
  scheduler::MicroOptions micro{10, 1, 1, scheduler::Verification::off, false, "", ""};
  bool verify = false;
  bool json = false;
  bool help = false;
  mpi::Threads threads = mpi::Threads::single;
  std::string output;
};

// Default number of iterations, as in the OSU benchmarks: many for small messages, fewer for large ones.
std::int64_t default_iterations(const CatalogueEntry& entry, std::optional<Bytes> size) {
  if (entry.family != Family::point_to_point && entry.family != Family::collective) return 1;
  return !size || size->value <= 8192 ? 1000 : 100;
}

std::unique_ptr<Motif> make_motif(const std::string& name) {
  std::unique_ptr<Motif> motif = MotifCatalogue::instance().make(name);
  if (motif) return motif;
  throw UserMistake("motif: {}", unknown_motif(name));
}

CatalogueEntry entry_of(const std::string& name) {
  for (const CatalogueEntry& entry : MotifCatalogue::instance().entries()) {
    if (parameter_detail::same_name(entry.name, name)) return entry;
  }
  return {name, Family::probe, "", ""};
}

// Sets the motif's options from the call, so that it spells sizes in the chosen units (such as elements of a type).
// Invalid options are ignored here and reported by `check` later.
void apply_options(Motif& motif, const workload::MotifCall& call) {
  for (const workload::Option& option : call.options) {
    Parameter* parameter = motif.find(option.dashed());
    if (parameter == nullptr) continue;
    try {
      parameter->parse(option.value.value_or(""));
    } catch (const UserMistake&) {
    }
  }
}

workload::MotifCall with_option(workload::MotifCall call, const std::string& name, const std::string& value) {
  workload::Option option;
  option.name = name;
  option.value = value;
  option.where = option.value_where = call.where;
  call.options.push_back(std::move(option));
  return call;
}

// One step per size, or a single step without --sizes. Sizes are set through the parameter that the motif names for
// them.
std::vector<workload::Step> steps_of(const MeasureOptions& options, workload::Diagnostics& diagnostics) {
  const std::unique_ptr<Motif> motif = make_motif(options.name);
  const workload::MotifCall call = workload::call_of_command(options.name, options.motif_arguments, diagnostics);
  if (options.sizes.empty()) return {call};
  if (motif->find("--sizes") != nullptr) return {with_option(call, "sizes", options.sizes)};
  if (motif->size_parameter().empty()) throw UserMistake("--sizes: {} has no message size to vary", options.name);
  std::vector<Bytes> sizes;
  try {
    sizes = Spelling<std::vector<Bytes>>::read(options.sizes);
  } catch (const UserMistake& mistake) {
    throw UserMistake("--sizes: '{}': {}", options.sizes, mistake.what());
  }
  apply_options(*motif, call);
  std::vector<workload::Step> steps;
  for (const Bytes size : sizes) {
    steps.emplace_back(with_option(call, motif->size_parameter(), motif->size_text(size)));
  }
  return steps;
}

// The workload with one job that the command runs. Throws Rejected for mistakes. Requirements on the number of ranks
// are not checked.
workload::Parsed parsed_of(const MeasureOptions& options) {
  workload::Parsed parsed;
  workload::Job& job = parsed.workload.jobs.emplace_back(workload::job_of_command());
  job.steps = steps_of(options, parsed.diagnostics);
  workload::check(parsed, MotifCatalogue::instance(), std::nullopt);
  parsed.diagnostics.throw_if_any();
  return parsed;
}

void check_ranks(workload::Parsed parsed, int ranks) {
  workload::check(parsed, MotifCatalogue::instance(), workload::Machine::uniform(1, ranks));
  parsed.diagnostics.throw_if_any();
}

// Sets the default number of iterations in steps without that option.
void set_iterations(workload::Job& job, const CatalogueEntry& entry) {
  for (workload::Step& step : job.steps) {
    auto& call = std::get<workload::MotifCall>(step);
    bool has_iterations = false;
    for (const workload::Option& option : call.options) has_iterations = has_iterations || option.name == "iterations";
    if (has_iterations) continue;
    const std::unique_ptr<Motif> motif = make_motif(call.name);
    workload::configure(*motif, call);
    if (!motif->parts().empty()) continue;
    workload::Option option;
    option.name = "iterations";
    option.value = std::to_string(default_iterations(entry, motif->message_size()));
    call.options.push_back(option);
  }
}

// The spread of each metric over the ranks, for each repetition.
output::Json metrics_json(const scheduler::MicroRow& row) {
  output::Json metrics = output::Json::object();
  for (std::size_t i = 0; i < row.metrics.size(); ++i) {
    output::Json& repetitions = metrics[row.step.metrics[i].name] = output::Json::array();
    for (const scheduler::Spread& spread : row.metrics[i]) {
      repetitions.push_back({{"min", spread.min}, {"mean", spread.mean}, {"max", spread.max}});
    }
  }
  return metrics;
}

// Table of the metrics: minimum, median and maximum over the repetitions of the mean over the ranks, for each row.
std::string metrics_table(const std::vector<scheduler::MicroRow>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const scheduler::MicroRow& row : rows) {
    for (std::size_t i = 0; i < row.metrics.size(); ++i) {
      std::vector<double> means;
      for (const scheduler::Spread& spread : row.metrics[i]) means.push_back(spread.mean);
      const auto text = [](std::optional<double> value) { return value ? fmt::format("{:.6g}", *value) : "-"; };
      cells.push_back({row.step.size ? std::to_string(row.step.size->value) : "-", row.step.metrics[i].name,
                       text(quantile(means, 0)), text(median(means)), text(quantile(means, 1))});
    }
  }
  if (cells.empty()) return "";
  return "# metrics of the motif: mean over ranks; minimum, median and maximum over the repetitions\n" +
         output::table({"bytes", "metric", "min", "median", "max"}, cells);
}

output::Json json_of(const scheduler::MicroRow& row) {
  output::Json options = output::Json::object();
  for (const auto& [name, value] : row.step.options) options[name] = value;
  return {{"size_bytes", row.step.size ? output::Json(row.step.size->value) : output::Json(nullptr)},
          {"options", options},
          {"timer", Spelling<Timer>::write(row.step.timer)},
          {"iterations", row.step.iterations},
          {"repetitions", row.repetitions},
          {"min_s", row.min_s},
          {"median_s", row.median_s},
          {"p99_s", row.p99_s},
          {"max_s", row.max_s},
          {"mean_s", row.mean_s},
          {"rank_mean_median_s", row.rank_mean_median_s},
          {"rank_max_median_s", row.rank_max_median_s},
          {"slowest_rank", row.slowest_rank},
          {"bandwidth_bytes_per_s",
           row.bandwidth_bytes_per_s ? output::Json(*row.bandwidth_bytes_per_s) : output::Json(nullptr)},
          {"messages_per_s", row.messages_per_s ? output::Json(*row.messages_per_s) : output::Json(nullptr)},
          {"metrics", metrics_json(row)}};
}

std::string rows_as_json(const std::vector<scheduler::MicroRow>& rows, const MeasureOptions& options, int ranks) {
  output::Json list = output::Json::array();
  for (const scheduler::MicroRow& row : rows) list.push_back(json_of(row));
  const output::Json all = {{"motif", options.name},
                            {"ranks", ranks},
                            {"quantity", rows.empty() ? "" : rows.front().step.quantity},
                            {"verified", options.verify},
                            {"rows", list}};
  return all.dump(2) + "\n";
}

std::string rows_as_table(const std::vector<scheduler::MicroRow>& rows, const MeasureOptions& options, int ranks) {
  const scheduler::StepRecord& first = rows.front().step;
  std::string text =
      fmt::format("# {} on {} ranks: {} per iteration, timer around {}\n", options.name, ranks, first.quantity,
                  first.timer == Timer::loop ? "the loop (mean over ranks, statistics over repetitions)"
                                             : "each iteration (statistics over all of them)");
  if (first.bandwidth) text += fmt::format("# MB/s = 10^6 {} (median)\n", first.bandwidth->definition);
  if (options.verify)
    text +=
        "# verified: contents were checked after each iteration; times are not comparable with those of unverified "
        "runs\n";
  std::vector<std::string> heads{"bytes",  "iterations", "repetitions", "min us", "median us",
                                 "p99 us", "max us",     "mean us",     "MB/s"};
  if (rows.front().messages_per_s) heads.emplace_back("messages/s");
  std::vector<std::vector<std::string>> cells;
  for (const scheduler::MicroRow& row : rows) {
    const auto us = [](double seconds) { return fmt::format("{:.3f}", seconds * 1e6); };
    cells.push_back({row.step.size ? std::to_string(row.step.size->value) : "-", std::to_string(row.step.iterations),
                     std::to_string(row.repetitions), us(row.min_s), us(row.median_s), us(row.p99_s), us(row.max_s),
                     us(row.mean_s),
                     row.bandwidth_bytes_per_s ? fmt::format("{:.2f}", *row.bandwidth_bytes_per_s / 1e6) : "-"});
    if (row.messages_per_s) cells.back().push_back(fmt::format("{:.0f}", *row.messages_per_s));
  }
  return text + output::table(heads, cells) + metrics_table(rows);
}

// The values of the motif's options that may name files: those of text, such as --file and --matrix.
std::vector<std::string> file_names_in(const workload::Job& job) {
  std::vector<std::string> names;
  workload::for_each_motif(job, [&](const workload::MotifCall& call, std::int64_t) {
    const std::unique_ptr<Motif> motif = make_motif(call.name);
    for (const workload::Option& option : call.options) {
      const Parameter* parameter = motif->find(option.dashed());
      if (parameter != nullptr && parameter->unit() == Spelling<std::string>::unit)
        names.push_back(option.value.value_or(""));
    }
  });
  return names;
}

int measure(const MeasureOptions& options, const Context& context) {
  const CatalogueEntry entry = entry_of(options.name);
  if (options.help) {
    if (prints_messages()) console::print(stdout, "{}", output::motif_page(entry, *make_motif(options.name)));
    return exit_success;
  }
  workload::Parsed parsed = parsed_of(options);
  const mpi::Group& world = context.start_mpi(options.threads);
  // Only rank 0 checks whether the motif can run on this number of ranks, since the check may read files.
  std::optional<output::ResultFile> file;
  const int status = on_root(world, [&] {
    check_ranks(parsed, world.size());
    if (!options.output.empty()) file.emplace("--output", options.output, file_names_in(parsed.workload.jobs.front()));
  });
  if (status != exit_success) return status;
  workload::Job& job = parsed.workload.jobs.front();
  set_iterations(job, entry);
  const MonotonicClock clock;
  scheduler::MicroOptions micro = options.micro;
  if (world.rank() == 0) micro.run_id = run_id::make();
  broadcast(world, micro.run_id);
  micro.launch = micro.run_id;
  scheduler::rank_status().job = "motif";
  scheduler::rank_status().rank = world.rank();
  const scheduler::MicroResult result =
      run_or_end_launch(world, [&] { return scheduler::run_microbenchmark(world, clock, job, micro); });
  return on_root(world, [&] {
    for (const std::string& note : result.notes) console::print(stderr, "stressbench-mpi: note: {}\n", note);
    const std::string page = options.json ? rows_as_json(result.rows, options, world.size())
                                          : rows_as_table(result.rows, options, world.size());
    if (file) {
      file->write(page);
    } else {
      console::print(stdout, "{}", page);
    }
  });
}

}  // namespace

void add_motif(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "motif",
      "Runs one motif on all ranks as a microbenchmark and prints a table. The motif's own options follow its name:\n"
      "  mpirun -n 2 stressbench-mpi motif pingpong -i 1000 --sizes 8,8KiB,1MiB\n"
      "  stressbench-mpi motif halo2d --help");
  const auto options = std::make_shared<MeasureOptions>();
  command->set_help_flag();
  command->allow_extras();
  command->prefix_command(false);
  command->add_option("--sizes", options->sizes, "message sizes, one row each: 8,8KiB,1MiB");
  decimal_digits_only(command->add_option("--repetitions", options->micro.repetitions,
                                          "measured repetitions of the motif's iterations"))
      ->check(CLI::Range(1L, 1000000000L))
      ->capture_default_str();
  decimal_digits_only(
      command->add_option("--warmup", options->micro.warmup, "repetitions before these that are not measured"))
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  decimal_digits_only(command->add_option("--seed", options->micro.seed, "seed of the motif's random numbers"))
      ->capture_default_str();
  command->add_flag("--verify", options->verify, "check every byte that is received");
  command->add_flag("--pcontrol", options->micro.marked_for_tracers,
                    "call MPI_Pcontrol(1) before and MPI_Pcontrol(0) after each measured execution, so that tracers "
                    "record only these");
  add_threads_option(*command, options->threads);
  command->add_flag("--json", options->json, "print JSON");
  command->add_option("--output", options->output, "write to this file instead of the terminal");
  command->add_flag("-h,--help", options->help, "print this help; after a motif's name, the options of the motif");
  command->callback([command, &context, options] {
    std::vector<std::string> rest = command->remaining();
    if (rest.empty()) {
      if (!options->help) throw CLI::RequiredError("motif: the motif's name (stressbench-mpi list names them)");
      throw CLI::CallForHelp();
    }
    options->name = rest.front();
    options->motif_arguments.assign(rest.begin() + 1, rest.end());
    options->micro.verification = options->verify ? scheduler::Verification::on : scheduler::Verification::off;
    context.selected_command = [&context, options] { return measure(*options, context); };
  });
}

}  // namespace stressbench::commands
