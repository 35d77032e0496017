// The settings of a run, and the state in which a launch finds it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/chain.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

struct RunOptions {
  std::string run_id;  // the same on every rank
  std::string launch;  // the same on every rank
  Counts counts;
  std::int64_t repetitions = 10;  // of a job without [REPEAT]
  int warmup = 1;
  Finish finish = Finish::sustain;
  std::string placement = "linear";
  std::uint64_t seed = 1;
  std::optional<double> until_interval;
  std::optional<Nanoseconds> min_time;  // of a job without [MIN_TIME]
  std::optional<Nanoseconds> time_limit;
  Verification verification = Verification::off;
  bool marked_for_tracers = false;  // see Chain::mark_for_tracers
};

// State of the run file after earlier launches of the run.
struct EarlierLaunches {
  int launch = 0;  // number of the next launch
  int rounds = 0;  // completed
};

}  // namespace stressbench::scheduler
