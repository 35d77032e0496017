// Command calls: writes the MPI calls of a motif or a job as a trace file, for any number of ranks, without a launch.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "commands/command.hpp"
#include "commands/workloads.hpp"
#include "core/wrong_value.hpp"
#include "motifs/application/call_list_motif.hpp"
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
};

// A motif of the job, or a loop over several.
struct Node {
  std::unique_ptr<Motif> motif;  // null: a loop
  output::SplitMembers members;
  std::int64_t times = 1;
  std::vector<Node> body;

  const CallListMotif& calls() const { return dynamic_cast<const CallListMotif&>(*motif); }
};

Node node_of(const workload::MotifCall& call, int ranks) {
  Node node;
  node.motif = MotifCatalogue::instance().make(call.name);
  workload::configure(*node.motif, call);
  if (dynamic_cast<const CallListMotif*>(node.motif.get()) == nullptr)
    throw UserMistake("calls: {}: its calls are not known without a launch; expected a motif of an application",
                      call.name);
  try {
    node.motif->check(ranks);
  } catch (const ParameterMistake& mistake) {
    throw UserMistake("calls: {}: {}", call.name, mistake.what());
  }
  node.times = node.motif->iterations();
  for (int rank = 0; rank < ranks; ++rank) {
    const calls::CallList list = node.calls().calls_of(rank, ranks);
    if (list.splits().empty()) break;  // so it is on all other ranks
    node.members.add(list);
  }
  return node;
}

std::vector<Node> nodes_of(const std::vector<workload::Step>& steps, int ranks) {
  std::vector<Node> nodes;
  for (const workload::Step& step : steps) {
    if (const auto* loop = std::get_if<workload::Loop>(&step)) {
      Node& node = nodes.emplace_back();
      node.times = loop->count;
      node.body = nodes_of(loop->steps, ranks);
    } else {
      nodes.push_back(node_of(std::get<workload::MotifCall>(step), ranks));
    }
  }
  return nodes;
}

output::RankSequence::Part part_of(const std::vector<Node>& nodes, int rank, int ranks,
                                   output::RankSequence& sequence) {
  std::vector<output::RankSequence::Item> items;
  for (const Node& node : nodes) {
    const auto part = node.motif ? sequence.add(node.calls().calls_of(rank, ranks), node.members)
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
  const std::vector<Node> nodes = nodes_of(job.steps, options.ranks);
  const output::ResultFile file("--output", options.output, std::vector<std::string>{subject});
  std::string text = output::trace_header_line(is_motif ? subject : job.name, options.ranks);
  try {
    for (int rank = 0; rank < options.ranks; ++rank) {
      output::RankSequence sequence(rank, options.ranks);
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
  add_set_option(*command, options->sets);
  command->callback([command, &context, options] {
    options->subject = command->remaining();
    if (options->subject.empty()) throw CLI::RequiredError("calls: the name of a motif, or a workload file");
    context.selected_command = [options] { return write_calls(*options); };
  });
}

}  // namespace stressbench::commands
