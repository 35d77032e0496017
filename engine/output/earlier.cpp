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
constexpr int most_rounds = 1'000'000;
constexpr int most_warmup = 1'000'000'000;

int count_of(const Json& value, int most) { return whole_number<int>(value, 0, most); }

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

void read_header(const Json& header, Earlier& earlier) {
  if (header.at("schema_version") != 1) throw UserMistake("the run file has another schema version");
  const Json& plan = header.at("plan");
  earlier.launches.launch = count_of(header.at("launch"), most_rounds) + 1;
  earlier.ranks = whole_number<int>(header.at("ranks"), 1);
  if (const Json& per_node = header.at("ranks_per_node"); !per_node.is_null()) {
    earlier.ranks_per_node = whole_number<int>(per_node, 1);
  }
  earlier.workload_path = header.at("workload").at("path");
  earlier.workload_text = header.at("workload").at("text");
  scheduler::RunOptions& options = earlier.options;
  const Json run_id = header.value("run_id", Json{});  // missing in some older files
  if (run_id.is_string()) options.run_id = run_id;
  options.counts = {count_of(plan.at("isolated"), most_rounds), count_of(plan.at("contended"), most_rounds)};
  options.warmup = count_of(plan.at("warmup"), most_warmup);
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

void read_round(const Json& record, Earlier& earlier, scheduler::ImpactTracker& tracker) {
  scheduler::RoundRecord round;
  round.round.number = whole_number<int>(record.at("round"), 0);
  round.round.block = whole_number<int>(record.at("block"), 0);
  round.round.kind = record.at("kind") == "isolated" ? scheduler::RoundKind::isolated : scheduler::RoundKind::contended;
  tracker.on_round(round);
  earlier.launches.rounds = round.round.number;
}

void read_record(const Json& record, Earlier& earlier, scheduler::ImpactTracker& tracker) {
  const std::string& type = record.at("type").get_ref<const std::string&>();
  if (type == "header") {
    read_header(record, earlier);
    tracker.on_header({});  // discards samples of a round that the previous launch did not complete
  }
  if (type == "sample") read_sample(record, tracker);
  if (type == "round") read_round(record, earlier, tracker);
  if (type == "end") earlier.complete = record.at("complete");
}

struct Place {
  const std::string& path;
  int line;
};

// Processes one line and returns the type of its record.
std::string read_line(const std::string& line, const Place& place, Earlier& earlier,
                      scheduler::ImpactTracker& tracker) {
  try {
    const Json record = parse_json<Json>(line);
    read_record(record, earlier, tracker);
    return record.at("type");
  } catch (const Json::exception&) {
    throw UserMistake("{}:{}: not a line of a run file (docs/records.md)", place.path, place.line);
  } catch (const UserMistake& mistake) {
    throw UserMistake("{}:{}: {}", place.path, place.line, mistake.what());
  }
}

bool is_committed(const std::string& type) { return type == "header" || type == "round" || type == "end"; }
bool is_measurement(const std::string& type) { return type == "sample" || type == "histogram"; }

}  // namespace

Earlier read_earlier(const std::string& path, scheduler::ImpactTracker& tracker) {
  Earlier earlier;
  std::int64_t read = 0;
  InputFile file(path, input_limits::run_file_bytes);
  int number = 1;
  // A last line without line feed was being written when the previous launch was killed.
  for (auto line = file.next_line(); line && line->whole; line = file.next_line(), ++number) {
    read += static_cast<std::int64_t>(line->text.size()) + 1;
    const std::string type = read_line(line->text, {path, number}, earlier, tracker);
    if (is_committed(type)) {
      earlier.committed_bytes = read;
      earlier.rest.clear();
    } else if (!is_measurement(type)) {
      earlier.rest += line->text;
      earlier.rest += '\n';
    }
    if (static_cast<std::int64_t>(earlier.rest.size()) > input_limits::line_bytes) {
      throw UserMistake("--continue: '{}' holds more than {} of other records behind its last round", path,
                        spell_bytes(input_limits::line_bytes));
    }
  }
  if (earlier.ranks == 0) throw UserMistake("--continue: '{}' holds no header: nothing to continue", path);
  return earlier;
}

void remove_unfinished_round(const std::string& path, const Earlier& earlier) {
  const io::Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
  int failure = file.number() < 0 || ftruncate(file.number(), earlier.committed_bytes) != 0 ? errno : 0;
  if (failure == 0) failure = io::write_whole(file.number(), earlier.rest);
  if (failure != 0) throw UserMistake("--continue: '{}': {}", path, std::strerror(failure));
}

}  // namespace stressbench::output
