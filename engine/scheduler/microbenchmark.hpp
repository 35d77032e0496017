// Runs one motif on all ranks as a microbenchmark, with one or more message sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "scheduler/collect.hpp"
#include "scheduler/job_round.hpp"

namespace stressbench::scheduler {

// The spread of a metric over the ranks, one entry per repetition.
using MetricSpreads = std::vector<Spread>;

// The result at one size. Times are of one iteration, scaled to the motif's quantity (one way of a ping-pong).
struct MicroRow {
  StepRecord step;
  std::int64_t repetitions = 0;
  // These five are over iterations if each was timed, else over repetitions.
  double min_s = 0;
  double median_s = 0;
  double p99_s = 0;
  double max_s = 0;
  double mean_s = 0;
  double rank_mean_median_s = 0;                // median over repetitions of the mean over ranks
  double rank_max_median_s = 0;                 // median over repetitions of the slowest rank
  int slowest_rank = -1;                        // world rank that was slowest most often
  std::optional<double> bandwidth_bytes_per_s;  // by the motif's definition, from the median
  std::optional<double> messages_per_s;         // rate of the messages that carry these bytes
  std::vector<MetricSpreads> metrics;           // in the order of step.metrics; sums over a repetition's iterations
};

struct MicroOptions {
  std::int64_t repetitions = 100;
  int warmup = 10;
  std::uint64_t seed = 1;
  Verification verification = Verification::off;
  bool marked_for_tracers = false;  // for tracers: see Chain::mark_for_tracers
  std::string run_id;               // the same on every rank
  std::string launch;               // the same on every rank
};

struct MicroResult {
  std::vector<MicroRow> rows;
  std::vector<std::string> notes;  // the motif's notes, each text once
};

// Collective over `world`: all ranks are one job, with a barrier before each timed region. Returns the result on rank
// 0, and an empty one elsewhere.
MicroResult run_microbenchmark(const mpi::Group& world, const Clock& clock, const workload::Job& job,
                               const MicroOptions& options);

}  // namespace stressbench::scheduler
