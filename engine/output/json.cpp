#include "output/json.hpp"

#include <chrono>
#include <ctime>

#include "core/enum_names.hpp"
#include "output/run_file.hpp"
#include "output/version.hpp"
#include "workload/node_list.hpp"

namespace stressbench::output {
namespace {

using scheduler::Phase;

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

Json nodes_of(const scheduler::Machine& machine) {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < machine.table.size(); ++i) {
    const scheduler::Node& node = machine.table[i];
    nodes.push_back(
        {{"node", i}, {"host", node.host}, {"cores", maybe(node.cores)}, {"ranks", workload::compress(node.ranks)}});
  }
  return nodes;
}

Json step_of(const scheduler::StepRecord& step, int index) {
  Json options = Json::object();
  for (const auto& [name, value] : step.options) options[name] = value;
  return {{"step", index},
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
  return {{"isolated", plan.counts.isolated},
          {"contended", plan.counts.contended},
          {"warmup", plan.warmup},
          {"finish", name_of(plan.finish)},
          {"until_interval", maybe(plan.until_interval)},
          {"time_limit_s", maybe(plan.time_limit_s)},
          {"placement", plan.placement},
          {"verify", plan.verify}};
}

Json links_of(const scheduler::LinkCounts& counts) {
  Json links = Json::array();
  for (const scheduler::LinkCount& count : counts) {
    links.push_back({{"link", count.link},
                     {"source", count.source},
                     {"target", count.target},
                     {"rate_bits_per_s", maybe(count.rate_bits_per_s)},
                     {"bytes", count.bytes},
                     {"frames", count.frames},
                     {"drops", count.drops}});
  }
  return links;
}

Json simulation_of(const std::optional<Simulation>& simulation) {
  if (!simulation) return nullptr;
  const Json told = Json::parse(simulation->description, nullptr, false);
  const auto of = [&](const char* key) { return told.is_object() ? told.value(key, Json(nullptr)) : Json(nullptr); };
  return {{"simulator", simulation->simulator}, {"platform", of("platform")}, {"settings", of("settings")}};
}

}  // namespace

Json to_json(const scheduler::JobRecord& job, int index) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < job.steps.size(); ++i) steps.push_back(step_of(job.steps[i], static_cast<int>(i)));
  return {{"job", index},
          {"name", job.name},
          {"role", job.background ? "background" : "measured"},
          {"nodes", job.nodes},
          {"ranks", job.ranks},
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
  return {{"type", "header"},
          {"schema_version", 1},
          {"program", program},
          {"version", version},
          {"commit", built_from.empty() ? Json(nullptr) : Json(built_from)},
          {"launch", header.launch},
          {"run_id", header.run_id},
          {"started_at", utc_now()},
          {"command", header.command},
          {"seed", header.seed},
          {"mpi",
           {{"standard", header.mpi.standard},
            {"library", header.mpi.library},
            {"flavour", header.mpi.flavour},
            {"transports", maybe(header.mpi.transports)}}},
          {"compiler", compiler},
          {"build_type", build_type},
          {"ranks", header.machine->ranks},
          {"ranks_per_node", maybe(header.machine->ranks_per_node)},
          {"nodes", nodes_of(*header.machine)},
          {"workload",
           {{"path", header.workload_path}, {"text", header.workload_text}, {"hash", hash_of(header.workload_text)}}},
          {"jobs", jobs},
          {"plan", plan_of(header.plan)},
          {"clock",
           {{"source", monotonic_source},
            {"resolution_s", header.clock.resolution_s},
            {"overhead_s", header.clock.overhead_s}}},
          {"load_average", maybe(header.load_average)},
          {"simulation", simulation_of(header.simulation)}};
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
  return {{"type", "sample"},
          {"round", sample.round},
          {"job", sample.job},
          {"step", maybe(sample.step)},
          {"repetition", sample.head.repetition},
          {"phase", name_of(sample.head.phase)},
          {"iterations", sample.iterations},
          {"time_min_s", number(sample.time.min)},
          {"time_mean_s", number(sample.time.mean)},
          {"time_max_s", number(sample.time.max)},
          {"slowest_rank", seen ? Json(sample.time.slowest_rank) : Json(nullptr)},
          {"slowest_host", seen ? Json(machine.host_of(sample.time.slowest_rank)) : Json(nullptr)},
          {"metrics", metrics}};
}

Json to_json(const scheduler::HistogramRecord& histogram) {
  Json buckets = Json::array();
  const auto counts = histogram.counts.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    buckets.push_back({static_cast<double>(Histogram::lower_ns(i)) * 1e-9,
                       static_cast<double>(Histogram::upper_ns(i)) * 1e-9, counts[i]});
  }
  return {{"type", "histogram"},      {"round", histogram.round},       {"job", histogram.job},
          {"step", histogram.step},   {"quantity", histogram.quantity}, {"count", histogram.counts.total()},
          {"min_s", histogram.min_s}, {"max_s", histogram.max_s},       {"mean_s", histogram.mean_s},
          {"buckets", buckets}};
}

Json to_json(const scheduler::Event& event) {
  return {{"type", "event"},          {"severity", name_of(event.severity)}, {"kind", event.kind},
          {"message", event.message}, {"round", maybe(event.round)},         {"job", maybe(event.job)}};
}

Json to_json(const scheduler::RoundRecord& record) {
  Json jobs = Json::array();
  for (const scheduler::JobProgress& job : record.jobs) {
    const auto of = [&](Phase phase) { return job.repetitions[static_cast<std::size_t>(phase)]; };
    jobs.push_back({{"job", job.job},
                    {"measured", of(Phase::measured)},
                    {"extra", of(Phase::extra)},
                    {"warmup", of(Phase::warmup)}});
  }
  return {{"type", "round"},
          {"round", record.round.number},
          {"block", record.round.block},
          {"kind", name_of(record.round.kind)},
          {"job", record.round.job < 0 ? Json(nullptr) : Json(record.round.job)},
          {"started_s", record.started_s},
          {"duration_s", record.duration_s},
          {"load_average", maybe(record.load_average)},
          {"jobs", jobs},
          {"links", record.links ? links_of(*record.links) : Json(nullptr)}};
}

Json to_json(const scheduler::Fault& fault) {
  return {{"type", "fault"},           {"round", maybe(fault.round)},
          {"job", maybe(fault.job)},   {"motif", maybe(fault.motif)},
          {"rank", maybe(fault.rank)}, {"host", maybe(fault.host)},
          {"cause", fault.cause}};
}

Json to_json(const scheduler::End& end) {
  return {{"type", "end"},
          {"complete", end.complete},
          {"reason", name_of(end.reason)},
          {"rounds", end.rounds},
          {"elapsed_s", end.elapsed_s}};
}

}  // namespace stressbench::output
