#include "output/json.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "core/enum_names.hpp"
#include "core/json_input.hpp"
#include "core/parameter.hpp"
#include "output/run_file.hpp"
#include "output/version.hpp"
#include "scheduler/node_ranges.hpp"
#include "workload/node_list.hpp"

namespace stressbench::output {
namespace {

using scheduler::Phase;

constexpr int schema_version = 1;

// The keys that are also read. Keys that are only written stand where they are written.
namespace key {
constexpr const char* schema_version = "schema_version";
constexpr const char* launch = "launch";
constexpr const char* run_id = "run_id";
constexpr const char* seed = "seed";
constexpr const char* ranks = "ranks";
constexpr const char* ranks_per_node = "ranks_per_node";
constexpr const char* workload = "workload";
constexpr const char* path = "path";
constexpr const char* text = "text";
constexpr const char* plan = "plan";
constexpr const char* isolated = "isolated";
constexpr const char* contended = "contended";
constexpr const char* warmup = "warmup";
constexpr const char* finish = "finish";
constexpr const char* until_interval = "until_interval";
constexpr const char* time_limit_s = "time_limit_s";
constexpr const char* placement = "placement";
constexpr const char* verify = "verify";
constexpr const char* round = "round";
constexpr const char* block = "block";
constexpr const char* kind = "kind";
constexpr const char* job = "job";
constexpr const char* step = "step";
constexpr const char* phase = "phase";
constexpr const char* time_max_s = "time_max_s";
constexpr const char* complete = "complete";
constexpr const char* link = "link";
constexpr const char* source = "source";
constexpr const char* target = "target";
constexpr const char* rate_bits_per_s = "rate_bits_per_s";
constexpr const char* bytes = "bytes";
constexpr const char* frames = "frames";
constexpr const char* drops = "drops";
}  // namespace key

// The limits of the corresponding options of `run`.
constexpr int max_rounds = 1'000'000;
constexpr int max_warmup = 1'000'000'000;

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The beginning of a string of a file in quotes, for messages: ASCII, with other characters as \u00e4.
std::string in_quotes(const std::string& text) {
  constexpr std::size_t longest = 60;
  std::string shown = Json(text.substr(0, longest)).dump(-1, ' ', true, Json::error_handler_t::replace);
  shown = shown.substr(1, shown.size() - 2);  // without the quotes
  const bool is_cut = text.size() > longest || shown.size() > longest;
  return fmt::format("'{}{}'", shown.substr(0, longest), is_cut ? "..." : "");
}

template <Named E>
E enumerator_of(const Json& value) {
  const std::string& text = value.get_ref<const std::string&>();
  try {
    return Spelling<E>::read(text);
  } catch (const UserMistake& mistake) {
    throw WrongValue("{} {}", in_quotes(text), mistake.what());
  }
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

// A record for each range of nodes; a range of one node has its number instead of the range.
Json nodes_of(const scheduler::Machine& machine) {
  Json nodes = Json::array();
  for (const scheduler::NodeRange& range : scheduler::node_ranges(machine)) {
    if (range.count == 1) {
      nodes.push_back(
          {{"node", range.first}, {"host", range.hosts}, {"cores", maybe(range.cores)}, {key::ranks, range.ranks}});
      continue;
    }
    nodes.push_back({{"nodes", fmt::format("{}-{}", range.first, range.first + range.count - 1)},
                     {range.same_host ? "host" : "hosts", range.hosts},
                     {"cores", maybe(range.cores)},
                     {key::ranks, range.ranks},
                     {"rank_step", range.rank_step}});
  }
  return nodes;
}

// A number if all nodes have as many ranks, however many nodes there are, else a list of all nodes.
Json sizes_of(const std::optional<workload::NodeSizes>& sizes) {
  if (!sizes) return nullptr;
  return sizes->is_list ? Json(sizes->spell()) : Json(sizes->runs.front().ranks);
}

workload::NodeSizes sizes_from_json(const Json& sizes) {
  if (!sizes.is_string()) return workload::NodeSizes::parse(std::to_string(whole_number<int>(sizes, 1)));
  return workload::NodeSizes::parse(sizes.get_ref<const std::string&>());
}

Json step_of(const scheduler::StepRecord& step, int index) {
  Json options = Json::object();
  for (const auto& [name, value] : step.options) options[name] = value;
  return {{key::step, index},
          {"motif", step.motif},
          {"options", options},
          {"size_bytes", step.size ? Json(step.size->value) : Json(nullptr)},
          {"executions", step.executions},
          {"iterations", step.iterations},
          {"timer", name_of(step.timer)},
          {"quantity", step.quantity},
          {"quantity_scale", step.quantity_scale},
          {"bandwidth_bytes", step.bandwidth ? Json(step.bandwidth->bytes) : Json(nullptr)},
          {"bandwidth_definition", step.bandwidth ? Json(step.bandwidth->definition) : Json(nullptr)}};
}

Json plan_of(const scheduler::PlanRecord& plan) {
  return {{key::isolated, plan.counts.isolated},
          {key::contended, plan.counts.contended},
          {key::warmup, plan.warmup},
          {key::finish, name_of(plan.finish)},
          {key::until_interval, maybe(plan.until_interval)},
          {key::time_limit_s, maybe(plan.time_limit_s)},
          {key::placement, plan.placement},
          {key::verify, plan.verify}};
}

std::optional<double> width_in(const Json& value) {
  if (value.is_null()) return std::nullopt;
  const double width = value;
  if (!(width > 0 && width < 1)) throw WrongValue("until_interval {} is not between 0 and 1", width);
  return width;
}

std::optional<double> time_limit_in(const Json& value) {
  if (value.is_null()) return std::nullopt;
  const double seconds = value;
  if (!(seconds >= 0 && seconds <= longest_time_limit.seconds()))
    throw WrongValue("{} s is not a valid time limit", seconds);
  return seconds;
}

scheduler::PlanRecord plan_from_json(const Json& plan) {
  scheduler::PlanRecord record;
  record.counts.isolated = whole_number<int>(plan.at(key::isolated), 0, max_rounds);
  record.counts.contended = whole_number<int>(plan.at(key::contended), 0, max_rounds);
  record.warmup = whole_number<int>(plan.at(key::warmup), 0, max_warmup);
  record.finish = enumerator_of<scheduler::Finish>(plan.at(key::finish));
  record.until_interval = width_in(plan.at(key::until_interval));
  record.time_limit_s = time_limit_in(plan.at(key::time_limit_s));
  record.placement = plan.at(key::placement);
  record.verify = plan.at(key::verify).get<bool>();
  return record;
}

Json links_of(const scheduler::LinkCounts& counts) {
  Json links = Json::array();
  for (const scheduler::LinkCount& count : counts) {
    links.push_back({{key::link, count.link},
                     {key::source, count.source},
                     {key::target, count.target},
                     {key::rate_bits_per_s, maybe(count.rate_bits_per_s)},
                     {key::bytes, count.bytes},
                     {key::frames, count.frames},
                     {key::drops, count.drops}});
  }
  return links;
}

Json telemetry_of(const scheduler::TelemetryCounters& counters, const scheduler::Machine& machine) {
  Json telemetry = Json::array();
  for (const scheduler::TelemetryCounter& counter : counters) {
    Json largest = Json::array();
    for (const auto& [node, device, value] : counter.largest) {
      largest.push_back({{"host", machine.table[static_cast<std::size_t>(node)].host},
                         {"device", device.empty() ? Json(nullptr) : Json(device)},
                         {"value", value}});
    }
    const auto& values = counter.values;
    const auto of = [&](auto member) { return values ? Json((*values).*member) : Json(nullptr); };
    using Quantiles = scheduler::TelemetryCounter::Quantiles;
    telemetry.push_back({{key::source, counter.source},
                         {"counter", counter.name},
                         {"unit", name_of(counter.unit)},
                         {"hosts", counter.hosts},
                         {"devices", counter.devices},
                         {"unknown", counter.unknown},
                         {"min", of(&Quantiles::min)},
                         {"p25", of(&Quantiles::p25)},
                         {"median", of(&Quantiles::median)},
                         {"p75", of(&Quantiles::p75)},
                         {"max", of(&Quantiles::max)},
                         {"sum", of(&Quantiles::sum)},
                         {"largest", largest}});
  }
  return telemetry;
}

Json memory_of(const scheduler::PeakMemory& memory, const scheduler::Machine& machine) {
  return {{"rank0_bytes", memory.rank0}, {"min_bytes", memory.min},     {"mean_bytes", memory.mean},
          {"max_bytes", memory.max},     {"max_rank", memory.max_rank}, {"max_host", machine.host_of(memory.max_rank)}};
}

Json simulation_of(const std::optional<Simulation>& simulation) {
  if (!simulation) return nullptr;
  const Json description = Json::parse(simulation->description, nullptr, false);
  const auto of = [&](const char* name) {
    return description.is_object() ? description.value(name, Json(nullptr)) : Json(nullptr);
  };
  return {{"simulator", simulation->simulator}, {"platform", of("platform")}, {"settings", of("settings")}};
}

}  // namespace

Json to_json(const scheduler::JobRecord& job, int index) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < job.steps.size(); ++i) steps.push_back(step_of(job.steps[i], static_cast<int>(i)));
  return {{key::job, index},
          {"name", job.name},
          {"role", name_of(job.role)},
          {"nodes", job.nodes},
          {key::ranks, job.ranks},
          {"repeat", job.repeat},
          {"min_time_s", maybe(job.min_time_s)},
          {"load", maybe(job.load)},
          {"rate_bytes_per_s", maybe(job.rate_bytes_per_s)},
          {"steps", steps}};
}

Json to_json(const scheduler::Header& header) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < header.jobs.size(); ++i) jobs.push_back(to_json(header.jobs[i], static_cast<int>(i)));
  const std::string built_from = commit;
  return {
      {type_key, record_type::header},
      {key::schema_version, schema_version},
      {"program", program},
      {"version", version},
      {"commit", built_from.empty() ? Json(nullptr) : Json(built_from)},
      {key::launch, header.launch},
      {key::run_id, header.run_id},
      {"started_at", utc_now()},
      {"command", header.command},
      {key::seed, header.seed},
      {"mpi",
       {{"standard", header.mpi.standard},
        {"library", header.mpi.library},
        {"flavour", header.mpi.flavour},
        {"transports", maybe(header.mpi.transports)}}},
      {"compiler", compiler},
      {"build_type", build_type},
      {key::ranks, header.machine->ranks},
      {key::ranks_per_node, sizes_of(header.machine->ranks_per_node)},
      {"nodes", nodes_of(*header.machine)},
      {key::workload,
       {{key::path, header.workload_path}, {key::text, header.workload_text}, {"hash", hash_of(header.workload_text)}}},
      {"jobs", jobs},
      {key::plan, plan_of(header.plan)},
      {"clock",
       {{"source", monotonic_source},
        {"resolution_s", header.clock.resolution_s},
        {"overhead_s", header.clock.overhead_s}}},
      {"load_average", maybe(header.load_average)},
      {"simulation", simulation_of(header.simulation)}};
}

scheduler::Header header_from_json(const Json& record, scheduler::Machine& machine) {
  if (record.at(key::schema_version) != schema_version) throw WrongValue("the run file has another schema version");
  scheduler::Header header;
  header.launch = whole_number<int>(record.at(key::launch), 0, max_rounds);
  machine.ranks = whole_number<int>(record.at(key::ranks), 1);
  machine.ranks_per_node.reset();
  if (const Json& per_node = record.at(key::ranks_per_node); !per_node.is_null()) {
    machine.ranks_per_node = sizes_from_json(per_node);
  }
  header.machine = &machine;
  header.workload_path = record.at(key::workload).at(key::path);
  header.workload_text = record.at(key::workload).at(key::text);
  const Json run_id = record.value(key::run_id, Json{});  // missing in some older files
  if (run_id.is_string()) header.run_id = run_id;
  header.plan = plan_from_json(record.at(key::plan));
  header.seed = whole_number<std::uint64_t>(record.at(key::seed));
  return header;
}

Json to_json(const scheduler::Sample& sample, const scheduler::Machine& machine) {
  const bool seen = sample.time.slowest_rank >= 0;
  const auto number = [seen](double value) { return seen ? Json(value) : Json(nullptr); };
  Json metrics = Json::object();
  for (const auto& [name, spread, slowest_rank] : sample.metrics) {
    metrics[name] = {{"min", spread.min},
                     {"mean", spread.mean},
                     {"max", spread.max},
                     {"slowest_rank", slowest_rank >= 0 ? Json(slowest_rank) : Json(nullptr)}};
  }
  return {{type_key, record_type::sample},
          {key::round, sample.round},
          {key::job, sample.job},
          {key::step, maybe(sample.step)},
          {"repetition", sample.head.repetition},
          {key::phase, name_of(sample.head.phase)},
          {"iterations", sample.iterations},
          {"time_min_s", number(sample.time.min)},
          {"time_mean_s", number(sample.time.mean)},
          {key::time_max_s, number(sample.time.max)},
          {"slowest_rank", seen ? Json(sample.time.slowest_rank) : Json(nullptr)},
          {"slowest_host", seen ? Json(machine.host_of(sample.time.slowest_rank)) : Json(nullptr)},
          {"metrics", metrics}};
}

scheduler::Sample sample_from_json(const Json& record) {
  scheduler::Sample sample;
  sample.job = whole_number<int>(record.at(key::job), 0);
  if (const Json& step = record.at(key::step); !step.is_null()) sample.step = whole_number<int>(step, 0);
  sample.head.phase = enumerator_of<Phase>(record.at(key::phase));
  if (const Json& time = record.at(key::time_max_s); !time.is_null()) {
    sample.time.max = time;
    sample.time.slowest_rank = 0;
  }
  return sample;
}

Json to_json(const scheduler::HistogramRecord& histogram) {
  Json buckets = Json::array();
  const auto counts = histogram.counts.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    buckets.push_back({static_cast<double>(Histogram::lower_ns(i)) * 1e-9,
                       static_cast<double>(Histogram::upper_ns(i)) * 1e-9, counts[i]});
  }
  return {{type_key, record_type::histogram}, {key::round, histogram.round},
          {key::job, histogram.job},          {key::step, histogram.step},
          {"quantity", histogram.quantity},   {"count", histogram.counts.total()},
          {"min_s", histogram.min_s},         {"max_s", histogram.max_s},
          {"mean_s", histogram.mean_s},       {"buckets", buckets}};
}

Json to_json(const scheduler::Event& event) {
  return {{type_key, record_type::event}, {"severity", name_of(event.severity)}, {key::kind, event.kind},
          {"message", event.message},     {key::round, maybe(event.round)},      {key::job, maybe(event.job)}};
}

Json to_json(const scheduler::RoundRecord& record, const scheduler::Machine& machine) {
  Json jobs = Json::array();
  for (const scheduler::JobProgress& job : record.jobs) {
    const auto of = [&](Phase phase) { return job.repetitions[static_cast<std::size_t>(phase)]; };
    jobs.push_back({{key::job, job.job},
                    {name_of(Phase::measured), of(Phase::measured)},
                    {name_of(Phase::extra), of(Phase::extra)},
                    {name_of(Phase::warmup), of(Phase::warmup)}});
  }
  return {{type_key, record_type::round},
          {key::round, record.round.number},
          {key::block, record.round.block},
          {key::kind, name_of(record.round.kind)},
          {key::job, record.round.job < 0 ? Json(nullptr) : Json(record.round.job)},
          {"started_s", record.started_s},
          {"duration_s", record.duration_s},
          {"load_average", maybe(record.load_average)},
          {"jobs", jobs},
          {"links", record.links ? links_of(*record.links) : Json(nullptr)},
          {"telemetry", record.telemetry ? telemetry_of(*record.telemetry, machine) : Json(nullptr)}};
}

scheduler::LinkCounts links_from_json(const Json& links) {
  scheduler::LinkCounts counts;
  for (const Json& one : links) {
    scheduler::LinkCount& count = counts.emplace_back();
    count.link = one.at(key::link);
    count.source = one.at(key::source);
    count.target = one.at(key::target);
    const Json& rate = one.at(key::rate_bits_per_s);
    if (!rate.is_null()) count.rate_bits_per_s = whole_number<std::int64_t>(rate, 0);
    count.bytes = whole_number<std::int64_t>(one.at(key::bytes), 0);
    count.frames = whole_number<std::int64_t>(one.at(key::frames), 0);
    count.drops = whole_number<std::int64_t>(one.at(key::drops), 0);
  }
  return counts;
}

scheduler::RoundRecord round_from_json(const Json& record) {
  scheduler::RoundRecord round;
  round.round.number = whole_number<int>(record.at(key::round), 0);
  round.round.block = whole_number<int>(record.at(key::block), 0);
  round.round.kind = enumerator_of<scheduler::RoundKind>(record.at(key::kind));
  return round;
}

Json to_json(const scheduler::Fault& fault) {
  return {{type_key, record_type::fault}, {key::round, maybe(fault.round)}, {key::job, maybe(fault.job)},
          {"motif", maybe(fault.motif)},  {"rank", maybe(fault.rank)},      {"host", maybe(fault.host)},
          {"cause", fault.cause}};
}

Json to_json(const scheduler::End& end, const scheduler::Machine& machine) {
  return {{type_key, record_type::end},    {key::complete, end.complete},
          {"reason", name_of(end.reason)}, {"rounds", end.rounds},
          {"elapsed_s", end.elapsed_s},    {"memory", end.memory ? memory_of(*end.memory, machine) : Json(nullptr)}};
}

scheduler::End end_from_json(const Json& record) {
  scheduler::End end;
  end.complete = record.at(key::complete);
  return end;
}

std::string beginning_of_header() {
  std::string text = Json{{type_key, record_type::header}}.dump();
  text.pop_back();  // the brace
  return text;
}

std::string run_id_member(const std::string& run_id) {
  const std::string text = Json{{key::run_id, run_id}}.dump();
  return text.substr(1, text.size() - 2);  // without the braces
}

}  // namespace stressbench::output
