// One job's ranks in one round: how many repetitions, and who decides when to stop.
#pragma once

#include <optional>

#include "core/clock.hpp"
#include "scheduler/chain.hpp"
#include "scheduler/collect.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// How a job is kept from working all the time: after each repetition it sleeps, outside of what is measured.
struct Throttle {
  double load = 1;             // share of the time that a repetition takes of itself and its rest
  std::int64_t period_ns = 0;  // from the start of a repetition to the start of the next, at least

  std::int64_t after(std::int64_t busy_ns) const noexcept;
};

// What a job does in a round.
struct Assignment {
  int warmup = 1;
  std::int64_t repeat = 1;
  std::optional<Nanoseconds> min_time;
  bool background = false;

  Finish finish = Finish::sustain;
  StartBarrier start_barrier = StartBarrier::none;
  Verification verification = Verification::off;
  Throttle throttle{};
};

// A barrier among the jobs that run together, entered when a job has all it wanted and asked after between batches of
// further repetitions. Only the jobs' roots take part.
class CompletionBarrier {
 public:
  // `roots`: a communicator of the roots of all jobs of this round; empty on other ranks and in isolated rounds.
  explicit CompletionBarrier(const mpi::Group* roots) : roots_(roots) {}
  CompletionBarrier(const CompletionBarrier&) = delete;
  CompletionBarrier& operator=(const CompletionBarrier&) = delete;

  void enter();
  bool everyone_has_entered();
  void wait();

 private:
  const mpi::Group* roots_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool entered_ = false;
  bool complete_ = false;
};

// Runs the job's part of a round; collective over the job's ranks. `completion` null in an isolated round.
void run_round(Chain& chain, SampleBuffer& samples, const JobGroup& job_group, const Clock& clock,
               const Assignment& assignment, CompletionBarrier* completion);

}  // namespace stressbench::scheduler
