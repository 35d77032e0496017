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
#include "scheduler/describe.hpp"

namespace stressbench::output {
namespace {

void read_header(const Json& record, ContinuedRun& run) {
  scheduler::Machine machine;
  const scheduler::Header header = header_from_json(record, machine);
  run.launches.launch = header.launch + 1;
  run.ranks = machine.ranks;
  run.ranks_per_node = machine.ranks_per_node;
  run.workload_path = header.workload_path;
  run.workload_text = header.workload_text;
  run.options = scheduler::options_of_run(header);
}

void read_record(const Json& record, ContinuedRun& run, scheduler::ImpactTracker& tracker) {
  const std::string& type = record.at(type_key).get_ref<const std::string&>();
  if (type == record_type::header) {
    read_header(record, run);
    tracker.on_header({});  // discards samples of a round that the previous launch did not complete
  }
  if (type == record_type::sample) {
    const scheduler::Sample sample = sample_from_json(record);
    if (sample.time.slowest_rank >= 0) tracker.on_sample(sample);
  }
  if (type == record_type::round) {
    const scheduler::RoundRecord round = round_from_json(record);
    tracker.on_round(round);
    run.launches.rounds = round.round.number;
  }
  if (type == record_type::end) run.complete = end_from_json(record).complete;
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
    return record.at(type_key);
  } catch (const Json::exception&) {
    throw UserMistake("{}:{}: not a line of a run file (docs/records.md)", position.path, position.line);
  } catch (const UserMistake& mistake) {
    throw UserMistake("{}:{}: {}", position.path, position.line, mistake.what());
  }
}

bool is_committed(const std::string& type) {
  return type == record_type::header || type == record_type::round || type == record_type::end;
}
bool is_measurement(const std::string& type) { return type == record_type::sample || type == record_type::histogram; }

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
      throw UserMistake("--continue: '{}' holds more than {} of other records after its last round", path,
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
