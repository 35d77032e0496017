// Reads a run file back for --continue.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "core/json_input.hpp"
#include "io/descriptor.hpp"
#include "output/json.hpp"
#include "output/run_file.hpp"

namespace stressbench::output {
namespace {

using scheduler::Phase;

// The limits of the corresponding options of `run`.
constexpr int max_rounds = 1'000'000;
constexpr int max_warmup = 1'000'000'000;

int count_of(const Json& value, int maximum) { return whole_number<int>(value, 0, maximum); }

std::optional<Nanoseconds> seconds_of(const Json& value) {
  if (value.is_null()) return std::nullopt;
  const double seconds = value;
  if (!(seconds >= 0 && seconds <= longest_time_limit.seconds())) throw UserMistake("{} s is no time limit", seconds);
  return Nanoseconds{static_cast<std::int64_t>(seconds * 1e9 + 0.5)};
}

std::optional<double> width_of(const Json& value) {
  if (value.is_null()) return std::nullopt;
  const double width = value;
  if (!(width > 0 && width < 1)) throw UserMistake("until_interval {} is not between 0 and 1", width);
  return width;
}

void read_header(const Json& header, ContinuedRun& run) {
  if (header.at("schema_version") != 1) throw UserMistake("the run file has another schema version");
  const Json& plan = header.at("plan");
  run.launches.launch = count_of(header.at("launch"), max_rounds) + 1;
  run.ranks = whole_number<int>(header.at("ranks"), 1);
  if (const Json& per_node = header.at("ranks_per_node"); !per_node.is_null()) {
    run.ranks_per_node = whole_number<int>(per_node, 1);
  }
  run.workload_path = header.at("workload").at("path");
  run.workload_text = header.at("workload").at("text");
  scheduler::RunOptions& options = run.options;
  const Json run_id = header.value("run_id", Json{});  // missing in some older files
  if (run_id.is_string()) options.run_id = run_id;
  options.counts = {count_of(plan.at("isolated"), max_rounds), count_of(plan.at("contended"), max_rounds)};
  options.warmup = count_of(plan.at("warmup"), max_warmup);
  options.finish = plan.at("finish") == "once" ? scheduler::Finish::once : scheduler::Finish::sustain;
  options.until_interval = width_of(plan.at("until_interval"));
  options.time_limit = seconds_of(plan.at("time_limit_s"));
  options.placement = plan.at("placement");
  options.verification = plan.at("verify").get<bool>() ? scheduler::Verification::on : scheduler::Verification::off;
  options.seed = whole_number<std::uint64_t>(header.at("seed"));
}

void read_sample(const Json& record, scheduler::ImpactTracker& tracker) {
  if (!record.at("step").is_null() || record.at("phase") != "measured" || record.at("time_max_s").is_null()) return;
  scheduler::Sample sample;
  sample.job = whole_number<int>(record.at("job"), 0);
  sample.head.phase = Phase::measured;
  sample.time.max = record.at("time_max_s");
  tracker.on_sample(sample);
}

void read_round(const Json& record, ContinuedRun& run, scheduler::ImpactTracker& tracker) {
  scheduler::RoundRecord round;
  round.round.number = whole_number<int>(record.at("round"), 0);
  round.round.block = whole_number<int>(record.at("block"), 0);
  round.round.kind = record.at("kind") == "isolated" ? scheduler::RoundKind::isolated : scheduler::RoundKind::contended;
  tracker.on_round(round);
  run.launches.rounds = round.round.number;
}

void read_record(const Json& record, ContinuedRun& run, scheduler::ImpactTracker& tracker) {
  const std::string& type = record.at("type").get_ref<const std::string&>();
  if (type == "header") {
    read_header(record, run);
    tracker.on_header({});  // discards samples of a round that the previous launch did not complete
  }
  if (type == "sample") read_sample(record, tracker);
  if (type == "round") read_round(record, run, tracker);
  if (type == "end") run.complete = record.at("complete");
}

struct LinePosition {
  const std::string& path;
  int line;
};

// Processes one line and returns the type of its record.
std::string read_line(const std::string& line, const LinePosition& position, ContinuedRun& run,
                      scheduler::ImpactTracker& tracker) {
  try {
    const Json record = parse_json<Json>(line);
    read_record(record, run, tracker);
    return record.at("type");
  } catch (const Json::exception&) {
    throw UserMistake("{}:{}: not a line of a run file (docs/records.md)", position.path, position.line);
  } catch (const UserMistake& mistake) {
    throw UserMistake("{}:{}: {}", position.path, position.line, mistake.what());
  }
}

bool is_committed(const std::string& type) { return type == "header" || type == "round" || type == "end"; }
bool is_measurement(const std::string& type) { return type == "sample" || type == "histogram"; }

}  // namespace

ContinuedRun read_continued_run(const std::string& path, scheduler::ImpactTracker& tracker) {
  ContinuedRun run;
  std::int64_t read = 0;
  InputFile file(path, input_limits::max_run_file_bytes);
  int number = 1;
  // A last line without line feed was being written when the previous launch was killed.
  for (auto line = file.next_line(); line && line->complete; line = file.next_line(), ++number) {
    read += static_cast<std::int64_t>(line->text.size()) + 1;
    const std::string type = read_line(line->text, {path, number}, run, tracker);
    if (is_committed(type)) {
      run.committed_bytes = read;
      run.trailing_lines.clear();
    } else if (!is_measurement(type)) {
      run.trailing_lines += line->text;
      run.trailing_lines += '\n';
    }
    if (static_cast<std::int64_t>(run.trailing_lines.size()) > input_limits::max_line_bytes) {
      throw UserMistake("--continue: '{}' holds more than {} of other records behind its last round", path,
                        spell_bytes(input_limits::max_line_bytes));
    }
  }
  if (run.ranks == 0) throw UserMistake("--continue: '{}' holds no header: nothing to continue", path);
  return run;
}

void remove_unfinished_round(const std::string& path, const ContinuedRun& run) {
  const io::Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
  int failure = file.number() < 0 || ftruncate(file.number(), run.committed_bytes) != 0 ? errno : 0;
  if (failure == 0) failure = io::write_whole(file.number(), run.trailing_lines);
  if (failure != 0) throw UserMistake("--continue: '{}': {}", path, std::strerror(failure));
}

}  // namespace stressbench::output
