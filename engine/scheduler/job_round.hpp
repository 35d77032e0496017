// The repetitions of one job in one round, and the agreement of its ranks on when to stop.
#pragma once

#include <optional>

#include "core/clock.hpp"
#include "scheduler/chain.hpp"
#include "scheduler/collect.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// Limits the load of a job: its ranks sleep after each repetition, outside of the measured time.
struct Throttle {
  double load = 1;             // time of a repetition / time of the repetition and the pause after it
  std::int64_t period_ns = 0;  // minimum time from the start of a repetition to the start of the next

  // The pause in nanoseconds after a repetition that took `busy_ns`.
  std::int64_t pause_after(std::int64_t busy_ns) const noexcept;

  // The period with which the average traffic of the chain per rank is at most `rate` bytes per second.
  static std::int64_t period_for(const Chain& chain, int ranks, Bytes rate);
};

// The settings of a job for a round.
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

// A nonblocking barrier of the jobs in a contended round. A job enters it when it has completed its repetitions, and
// tests it between batches of extra ones. Only the jobs' roots take part.
class CompletionBarrier {
 public:
  // `roots`: the communicator of all jobs' roots; null on other ranks.
  explicit CompletionBarrier(const mpi::Group* roots) : roots_(roots) {}
  CompletionBarrier(const CompletionBarrier&) = delete;
  CompletionBarrier& operator=(const CompletionBarrier&) = delete;

  void enter();
  bool all_jobs_entered();
  void wait();

 private:
  const mpi::Group* roots_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool entered_ = false;
  bool complete_ = false;
};

// Runs the job's part of a round. Collective over the job's ranks. `completion` is null in an isolated round.
void run_round(Chain& chain, SampleBuffer& samples, const JobGroup& job_group, const Clock& clock,
               const Assignment& assignment, CompletionBarrier* completion);

}  // namespace stressbench::scheduler
