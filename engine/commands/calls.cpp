// Command calls: writes the MPI calls of a motif or a job as a trace file, for any number of ranks, without a launch.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "commands/command.hpp"
#include "commands/workloads.hpp"
#include "core/wrong_value.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"
#include "output/call_trace.hpp"
#include "output/result_file.hpp"
#include "workload/options.hpp"

namespace stressbench::commands {
namespace {

constexpr int max_ranks = 1 << 21;  // of a trace file

struct CallsOptions {
  std::vector<std::string> subject;  // motif or workload, and the motif's options
  std::vector<std::string> sets;
  std::string job;
  std::string output;
  int ranks = 0;
  bool computation = false;
};

// A motif of the job, or a loop over several.
struct Node {
  std::unique_ptr<Motif> motif;  // null: a loop
  output::SplitMembers members;
  std::int64_t times = 1;
  std::vector<Node> body;

  double computation_scale = 1.0;

  calls::CallList calls(int rank, int ranks) const {
    return dynamic_cast<const ListedCalls&>(*motif).listed_calls(rank, ranks);
  }
};

// "calls: app.sb:7: bcast: ...", or without file and line for a motif of the command line.
[[noreturn]] void refuse(const workload::MotifCall& call, std::string_view why) {
  const bool has_line = call.where.source && call.where.source->path != "command line" && call.where.line > 0;
  const std::string where = has_line ? fmt::format("{}:{}: ", call.where.source->path, call.where.line) : "";
  throw UserMistake("calls: {}{}: {}", where, call.name, why);
}

Node node_of(const workload::MotifCall& call, const CallsOptions& options) {
  const int ranks = options.ranks;
  Node node;
  node.motif = MotifCatalogue::instance().make(call.name);
  workload::configure(*node.motif, call);
  const auto* listed = dynamic_cast<const ListedCalls*>(node.motif.get());
  if (listed == nullptr) refuse(call, "its calls are not known without a launch");
  try {
    node.motif->check(ranks);
    if (options.computation) node.computation_scale = listed->computation_scale();
    node.times = node.motif->iterations();
    for (int rank = 0; rank < ranks; ++rank) {
      const calls::CallList list = node.calls(rank, ranks);
      if (list.splits().empty()) break;  // so it is on all other ranks
      node.members.add(list);
    }
  } catch (const ParameterMistake& mistake) {
    refuse(call, mistake.what());
  }
  return node;
}

std::vector<Node> nodes_of(const std::vector<workload::Step>& steps, const CallsOptions& options) {
  std::vector<Node> nodes;
  for (const workload::Step& step : steps) {
    if (const auto* loop = std::get_if<workload::Loop>(&step)) {
      Node& node = nodes.emplace_back();
      node.times = loop->count;
      node.body = nodes_of(loop->steps, options);
    } else {
      nodes.push_back(node_of(std::get<workload::MotifCall>(step), options));
    }
  }
  return nodes;
}

output::RankSequence::Part part_of(const std::vector<Node>& nodes, int rank, int ranks,
                                   output::RankSequence& sequence) {
  std::vector<output::RankSequence::Item> items;
  for (const Node& node : nodes) {
    const auto part = node.motif ? sequence.add(node.calls(rank, ranks), node.members, node.computation_scale)
                                 : part_of(node.body, rank, ranks, sequence);
    items.push_back({part, node.times});
  }
  return sequence.add(items);
}

workload::Workload of_motif(const CallsOptions& options) {
  const std::string& name = options.subject.front();
  if (!options.job.empty()) throw UserMistake("calls: --job: {} is a motif, not a workload", name);
  if (!options.sets.empty()) throw UserMistake("calls: --set: {} is a motif, not a workload", name);
  workload::Parsed parsed;
  workload::Job& job = parsed.workload.jobs.emplace_back(workload::job_of_command());
  job.steps.emplace_back(
      workload::call_of_command(name, {options.subject.begin() + 1, options.subject.end()}, parsed.diagnostics));
  workload::check(parsed, MotifCatalogue::instance(), std::nullopt);
  parsed.diagnostics.throw_if_any();
  return parsed.workload;
}

workload::Workload of_file(const CallsOptions& options) {
  if (options.subject.size() > 1)
    throw UserMistake("calls: '{}': expected nothing after a workload file but options of this command",
                      options.subject[1]);
  return load_file(options.subject.front(), options.sets, std::nullopt);
}

workload::Job& job_of(workload::Workload& workload, const std::string& name) {
  std::string names;
  for (workload::Job& job : workload.jobs) {
    if (job.name == name || (name.empty() && workload.jobs.size() == 1)) return job;
    names += (names.empty() ? "" : ", ") + job.name;
  }
  if (name.empty()) throw UserMistake("calls: the workload has several jobs; choose one with --job: {}", names);
  throw UserMistake("calls: --job: '{}' is not a job of the workload; it has {}", name, names);
}

int write_calls(const CallsOptions& options) {
  const std::string& subject = options.subject.front();
  const bool is_motif = MotifCatalogue::instance().make(subject) != nullptr;
  if (!is_motif && !std::filesystem::exists(subject))
    throw UserMistake("calls: {}, and there is no such file", unknown_motif(subject));
  workload::Workload workload = is_motif ? of_motif(options) : of_file(options);
  const workload::Job& job = job_of(workload, options.job);
  const std::vector<Node> nodes = nodes_of(job.steps, options);
  const output::ResultFile file("--output", options.output, std::vector<std::string>{subject});
  std::string text = output::trace_header_line(is_motif ? subject : job.name, options.ranks);
  try {
    for (int rank = 0; rank < options.ranks; ++rank) {
      output::RankSequence sequence(rank, options.ranks,
                                    options.computation ? output::RankSequence::Computations::as_calls
                                                        : output::RankSequence::Computations::left_out);
      text += sequence.line(part_of(nodes, rank, options.ranks, sequence));
    }
  } catch (const WrongValue& wrong) {
    throw UserMistake("calls: {}: {}", subject, wrong.what());
  }
  file.write(text + output::trace_end_line(options.ranks));
  return exit_success;
}

}  // namespace

void add_calls(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "calls",
      "Writes the MPI calls that a motif, or a job of a workload, makes on so many ranks, as a trace file without\n"
      "times. Needs no MPI launch. The motif's own options follow its name:\n"
      "  stressbench-mpi calls tealeaf --ranks 64 --output tealeaf.trace -x 4000 -y 4000\n"
      "  stressbench-mpi calls app.sb --job app --ranks 1024 --output app.trace");
  const auto options = std::make_shared<CallsOptions>();
  command->allow_extras();
  command->prefix_command(false);
  decimal_digits_only(command->add_option("--ranks", options->ranks, "MPI ranks of the job"))
      ->check(CLI::Range(1, max_ranks))
      ->required();
  command->add_option("--output", options->output, "trace file to write")->required();
  command->add_option("--job", options->job, "job of the workload; needed where it has several");
  command->add_flag("--computation", options->computation,
                    "also the computation between the calls, as calls named Compute with their times");
  add_set_option(*command, options->sets);
  command->callback([command, &context, options] {
    options->subject = command->remaining();
    if (options->subject.empty()) throw CLI::RequiredError("calls: the name of a motif, or a workload file");
    context.selected_command = [options] { return write_calls(*options); };
  });
}

}  // namespace stressbench::commands
