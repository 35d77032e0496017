// The records of a run as values (docs/records.md), independent of JSON. Created on rank 0 only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/histogram.hpp"
#include "core/pattern.hpp"
#include "core/simulation.hpp"
#include "motifs/motif.hpp"
#include "scheduler/links.hpp"
#include "scheduler/machine.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/sample_buffer.hpp"
#include "scheduler/telemetry_record.hpp"
#include "workload/model.hpp"

namespace stressbench::scheduler {

enum class Finish { sustain, once };

struct MetricRecord {
  std::string name;
  Better better = Better::lower;
};

struct StepRecord {
  std::string motif;
  std::vector<std::pair<std::string, std::string>> options;
  std::optional<Bytes> size;
  std::int64_t executions = 1;
  std::int64_t iterations = 1;
  Timer timer = Timer::loop;
  std::string quantity;
  double quantity_scale = 1;
  std::optional<Bandwidth> bandwidth;
  std::vector<MetricRecord> metrics;
  std::vector<std::string> histograms;  // names of the quantities in the motif's own histograms
};

struct JobRecord {
  std::string name;
  workload::Role role = workload::Role::measured;
  std::string nodes;  // "0-3,8"
  int ranks = 0;
  std::int64_t repeat = 1;
  std::optional<double> min_time_s;
  std::optional<double> load;
  std::optional<double> rate_bytes_per_s;  // per rank
  std::vector<StepRecord> steps;
};

struct PlanRecord {
  Counts counts;
  int warmup = 1;
  Finish finish = Finish::sustain;
  std::optional<double> until_interval;
  std::optional<double> time_limit_s;
  std::string placement;
  bool verify = false;
};

struct LibraryRecord {
  std::string standard;
  std::string library;
  std::string flavour;
  std::optional<std::string> transports;
};

struct Header {
  int launch = 0;
  std::string run_id;
  std::vector<std::string> command;
  std::uint64_t seed = 0;
  LibraryRecord mpi;
  const Machine* machine = nullptr;
  std::string workload_path;
  std::string workload_text;
  std::vector<JobRecord> jobs;
  PlanRecord plan;
  ClockQuality clock;
  std::optional<std::array<double, 3>> load_average;
  std::optional<Simulation> simulation;
};

// A value over the ranks on which it was measured.
struct Spread {
  double min = 0;
  double mean = 0;
  double max = 0;
  int slowest_rank = -1;  // world rank of the maximum; -1 if measured on no rank
  int lowest_rank = -1;   // world rank of the minimum

  int worst_rank(Better better) const noexcept { return better == Better::lower ? slowest_rank : lowest_rank; }
};

// A motif's own metric in one repetition.
struct MetricSpread {
  std::string name;
  Spread spread;
  int slowest_rank = -1;  // world rank of the worst value
};

struct Sample {
  int round = 0;
  int job = 0;
  std::optional<int> step;
  RowHead head;
  std::int64_t iterations = 1;
  Spread time;
  std::vector<MetricSpread> metrics;
};

struct HistogramRecord {
  int round = 0;
  int job = 0;
  int step = 0;
  std::optional<int> own;  // index of the motif's own histogram; none: the histogram of its executions
  std::string quantity;
  Histogram counts;
  double min_s = 0;
  double mean_s = 0;
  double max_s = 0;
};

struct JobProgress {
  int job = 0;
  std::array<std::int64_t, 3> repetitions{};  // by Phase
};

struct RoundRecord {
  Round round;
  double started_s = 0;
  double duration_s = 0;
  std::optional<double> load_average;
  std::vector<JobProgress> jobs;
  std::optional<LinkCounts> links;  // traffic during the round
  std::optional<TelemetryCounters> telemetry;
};

enum class Severity { note, warning, error };
struct Event {
  Severity severity = Severity::note;
  std::string kind;
  std::string message;
  std::optional<int> round;
  std::optional<int> job;
};

// The fault that ended the launch with status 3, reported by an affected rank. Unknown fields stay empty.
struct Fault {
  std::optional<int> round;
  std::optional<int> job;
  std::optional<std::string> motif;
  std::optional<int> rank;  // in the whole launch
  std::optional<std::string> host;
  std::string cause;
};
using FaultListener = std::function<void(const Fault&)>;

enum class EndReason { done, interval_reached, interrupted, time_limit, fault };

// The peak resident memory of the ranks of a launch, in bytes.
struct PeakMemory {
  std::int64_t rank0 = 0;
  std::int64_t min = 0;
  double mean = 0;
  std::int64_t max = 0;
  int max_rank = 0;
};

struct End {
  bool complete = false;
  EndReason reason = EndReason::done;
  int rounds = 0;
  double elapsed_s = 0;
  std::optional<PeakMemory> memory = std::nullopt;
};

// Receiver of records, such as the run file, the summary table, the progress line or the stopping criterion.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_header(const Header&) {}
  virtual void on_sample(const Sample&) {}
  virtual void on_histogram(const HistogramRecord&) {}
  virtual void on_event(const Event&) {}
  virtual void on_round_start(const Round&, int planned) { (void)planned; }
  // The round is complete and its records must be stored. Throws MachineFault if that fails.
  virtual void on_round(const RoundRecord&) {}
  virtual void on_end(const End&) {}
  // A listener failed, and the run ends for that reason. This is the last call.
  virtual void on_fault(const Fault&) {}
};

}  // namespace stressbench::scheduler
