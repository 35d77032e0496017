#include "scheduler/job_round.hpp"

#include <algorithm>
#include <cmath>

#include "core/batch.hpp"
#include "core/pause.hpp"
#include "scheduler/sleeping_barrier.hpp"

namespace stressbench::scheduler {
namespace {

// How many repetitions follow, none if 0, and whether the decision after this one arrives while they run.
struct Decision {
  std::int64_t repetitions = 0;
  std::int64_t next_is_early = 0;
};
constexpr int words_of_decision = 2;

// The last batch whose time is known on the root. Times are reduced while the next batch runs. Collective over the job.
class ReducedTimes {
 public:
  explicit ReducedTimes(const JobGroup& job_group) : job_group_(job_group) {}
  ReducedTimes(const ReducedTimes&) = delete;
  ReducedTimes& operator=(const ReducedTimes&) = delete;

  void start(std::int64_t repetitions, double own_s) {
    pending_ = Batch{repetitions, 0};
    own_s_ = own_s;
    mpi::check(MPI_Ireduce(&own_s_, &pending_.slowest_s, 1, MPI_DOUBLE, MPI_MAX, job_group_.root,
                           job_group_.group->handle(), &request_),
               "MPI_Ireduce");
  }
  void finish() {
    if (request_ == MPI_REQUEST_NULL) return;
    mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    last_ = pending_;
  }
  void put(const Batch& batch) { last_ = batch; }
  const Batch& last() const noexcept { return last_; }

 private:
  const JobGroup& job_group_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  double own_s_ = 0;
  Batch pending_;
  Batch last_;
};

class RepetitionLoop {
 public:
  RepetitionLoop(Chain& chain, SampleBuffer& samples, const JobGroup& job_group, const Clock& clock,
                 const Assignment& assignment)
      : chain_(chain), samples_(samples), job_group_(job_group), clock_(clock), assignment_(assignment) {}

  void repeat(std::int64_t count, Phase phase) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t start = clock_.now_ns();
      chain_.repeat(clock_, samples_, phase, assignment_.start_barrier, assignment_.verification);
      const std::int64_t pause_ns = assignment_.throttle.pause_after(clock_.now_ns() - start);
      if (pause_ns > 0) sleep_for(pause_ns);
    }
  }

  // Runs batches of repetitions while `should_continue` returns true; it is called on the job's root only.
  //
  // `without_gaps`: for jobs that load the network for others. While a job waits for a decision behind its own messages
  // in the queues of links, all other jobs proceed. So the decision on the next batch is on its way while a short one
  // runs, and a batch follows the last positive answer.
  template <class ShouldContinue>
  void repeat_while(Phase phase, bool without_gaps, ShouldContinue should_continue) {
    ReducedTimes times{job_group_};
    const auto decision = [&](std::int64_t repetitions, bool next_is_early) {
      return Decision{is_root() && should_continue() ? repetitions : 0, next_is_early ? 1 : 0};
    };
    const auto next_decision = [&] {
      return decision(times.last().next_repetitions(), without_gaps && times.last().is_short());
    };
    Decision now = decision(1, false);
    broadcast(now);
    while (now.repetitions > 0) {
      Decision next;
      if (now.next_is_early != 0) {
        next = next_decision();
        MPI_Request arrival = start_broadcast(next);
        const double own_s = timed(now.repetitions, phase);
        times.finish();
        times.start(now.repetitions, own_s);
        mpi::check(MPI_Wait(&arrival, MPI_STATUS_IGNORE), "MPI_Wait");
      } else {
        times.finish();
        times.put({now.repetitions, reduced(job_group_, timed(now.repetitions, phase), MPI_MAX)});
        next = next_decision();
        broadcast(next);
      }
      now = next;
    }
    times.finish();
  }

  void repeat_measured() {
    if (assignment_.min_time) {
      const std::int64_t start = clock_.now_ns();
      std::int64_t done = samples_.repetitions(Phase::measured);
      repeat_while(Phase::measured, false, [&] {
        done = samples_.repetitions(Phase::measured);
        return done < assignment_.repeat || clock_.now_ns() - start < assignment_.min_time->value;
      });
    } else {
      repeat(assignment_.repeat, Phase::measured);
    }
  }

  // Makes ranks that are idle in the last repetition wait inside the MPI library: as a target of one-sided
  // communication a rank may have to make progress for others, which it would not do in a sleep.
  void synchronise() const { job_group_.group->barrier(); }

  // The time of this rank.
  double timed(std::int64_t repetitions, Phase phase) {
    const std::int64_t start = clock_.now_ns();
    repeat(repetitions, phase);
    return static_cast<double>(clock_.now_ns() - start) * 1e-9;
  }
  void broadcast(Decision& decision) const {
    mpi::check(MPI_Bcast(&decision, words_of_decision, MPI_INT64_T, job_group_.root, job_group_.group->handle()),
               "MPI_Bcast");
  }
  MPI_Request start_broadcast(Decision& decision) const {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(
        MPI_Ibcast(&decision, words_of_decision, MPI_INT64_T, job_group_.root, job_group_.group->handle(), &request),
        "MPI_Ibcast");
    return request;
  }

  bool is_root() const { return job_group_.group->rank() == job_group_.root; }

 private:
  Chain& chain_;
  SampleBuffer& samples_;
  const JobGroup& job_group_;
  const Clock& clock_;
  const Assignment& assignment_;
};

}  // namespace

std::int64_t Throttle::pause_after(std::int64_t busy_ns) const noexcept {
  const auto by_load = static_cast<std::int64_t>(static_cast<double>(busy_ns) * (1 / load - 1));
  return std::max({std::int64_t{0}, by_load, period_ns - busy_ns});
}

std::int64_t Throttle::period_for(const Chain& chain, int ranks, Bytes rate) {
  double bytes = 0;
  for (const ChainStep& step : chain.steps()) {
    const Traffic traffic = step.motif->traffic(ranks);
    bytes += static_cast<double>(traffic.message_bytes + traffic.collective_bytes + traffic.file_bytes) *
             static_cast<double>(step.motif->iterations() * step.executions);
  }
  return std::llround(bytes / ranks / static_cast<double>(rate.value) * 1e9);
}

void CompletionBarrier::enter() {
  if (entered_ || roots_ == nullptr) return;
  mpi::check(MPI_Ibarrier(roots_->handle(), &request_), "MPI_Ibarrier");
  entered_ = true;
}

bool CompletionBarrier::all_jobs_entered() {
  if (complete_ || roots_ == nullptr) return true;
  int done = 0;
  mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  complete_ = done != 0;
  return complete_;
}

void CompletionBarrier::wait() {
  if (complete_ || roots_ == nullptr) return;
  sleeping_wait(request_, WaitPhase::parked);
  complete_ = true;
}

void run_round(Chain& chain, SampleBuffer& samples, const JobGroup& job_group, const Clock& clock,
               const Assignment& assignment, CompletionBarrier* completion) {
  RepetitionLoop loop{chain, samples, job_group, clock, assignment};
  loop.repeat(assignment.warmup, Phase::warmup);
  if (!assignment.background) loop.repeat_measured();
  loop.synchronise();
  if (completion == nullptr) return;
  if (loop.is_root()) completion->enter();
  if (assignment.background || assignment.finish == Finish::sustain) {
    const Phase phase = assignment.background ? Phase::measured : Phase::extra;
    loop.repeat_while(phase, true, [&] { return !completion->all_jobs_entered(); });
    loop.synchronise();
  }
  if (loop.is_root()) completion->wait();
}

}  // namespace stressbench::scheduler
