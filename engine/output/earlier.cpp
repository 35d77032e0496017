// Reading a run file back, for --continue.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "output/json.hpp"
#include "output/run_file.hpp"

namespace stressbench::output {
namespace {

using schedule::Phase;

template <class T>
std::optional<T> optional_of(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

std::optional<Nanoseconds> seconds_of(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return Nanoseconds{static_cast<std::int64_t>(value.get<double>() * 1e9 + 0.5)};
}

void read_header(const Json& header, Earlier& earlier) {
  if (header.at("schema_version") != 1) throw UserMistake("is a run file of another schema version");
  const Json& plan = header.at("plan");
  earlier.prior.launch = header.at("launch").get<int>() + 1;
  earlier.ranks = header.at("ranks");
  earlier.ranks_per_node = optional_of<int>(header.at("ranks_per_node"));
  earlier.workload_path = header.at("workload").at("path");
  earlier.workload_text = header.at("workload").at("text");
  schedule::RunOptions& options = earlier.options;
  const Json run_id = header.value("run_id", Json{});  // not in every older file
  if (run_id.is_string()) options.run_id = run_id;
  options.counts = {plan.at("isolated"), plan.at("contended")};
  options.warmup = plan.at("warmup");
  options.finish = plan.at("finish") == "once" ? schedule::Finish::once : schedule::Finish::sustain;
  options.until_interval = optional_of<double>(plan.at("until_interval"));
  options.time_limit = seconds_of(plan.at("time_limit_s"));
  options.placement = plan.at("placement");
  options.verification = plan.at("verify").get<bool>() ? schedule::Verification::on : schedule::Verification::off;
  options.seed = header.at("seed");
}

void read_sample(const Json& record, schedule::ImpactTracker& tracker) {
  if (!record.at("step").is_null() || record.at("phase") != "measured" || record.at("time_max_s").is_null()) return;
  schedule::Sample sample;
  sample.job = record.at("job");
  sample.head.phase = Phase::measured;
  sample.time.max = record.at("time_max_s");
  tracker.on_sample(sample);
}

void read_round(const Json& record, Earlier& earlier, schedule::ImpactTracker& tracker) {
  schedule::RoundRecord round;
  round.round.number = record.at("round");
  round.round.block = record.at("block");
  round.round.kind = record.at("kind") == "isolated" ? schedule::RoundKind::isolated : schedule::RoundKind::contended;
  tracker.on_round(round);
  earlier.prior.rounds = round.round.number;
}

void read_record(const Json& record, Earlier& earlier, schedule::ImpactTracker& tracker) {
  const std::string& type = record.at("type").get_ref<const std::string&>();
  if (type == "header") read_header(record, earlier);
  if (type == "sample") read_sample(record, tracker);
  if (type == "round") read_round(record, earlier, tracker);
  if (type == "end") earlier.complete = record.at("complete");
}

}  // namespace

Earlier read_earlier(const std::string& path, schedule::ImpactTracker& tracker) {
  std::ifstream file(path);
  if (!file) throw UserMistake(fmt::format("--continue: '{}': {}", path, std::strerror(errno)));
  Earlier earlier;
  std::string line;
  std::int64_t keep = 0;  // bytes up to the last record that stays
  std::int64_t read = 0;
  for (int number = 1; std::getline(file, line) && !file.eof(); ++number) {
    read += static_cast<std::int64_t>(line.size()) + 1;
    try {
      const Json record = Json::parse(line);
      read_record(record, earlier, tracker);
      const std::string type = record.at("type");
      if (type == "header" || type == "round" || type == "end") keep = read;
    } catch (const Json::exception&) {
      throw UserMistake(fmt::format("{}:{}: not a line of a run file (docs/records.md)", path, number));
    }
  }
  file.close();
  if (earlier.ranks == 0) throw UserMistake(fmt::format("--continue: '{}' holds no header: nothing to continue", path));
  if (truncate(path.c_str(), keep) != 0)
    throw UserMistake(fmt::format("--continue: '{}': {}", path, std::strerror(errno)));
  return earlier;
}

}  // namespace stressbench::output
