#include "scheduler/job_round.hpp"

#include <algorithm>
#include <cmath>

#include "core/pause.hpp"
#include "scheduler/sleeping_barrier.hpp"

namespace stressbench::scheduler {
namespace {

// Target time of a batch of repetitions, after which the root decides whether to continue. Long enough to make the cost
// of the decision negligible.
constexpr double batch_s = 0.02;
constexpr std::int64_t largest_batch = 100000;

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
  template <class ShouldContinue>
  void repeat_while(Phase phase, ShouldContinue should_continue) {
    std::int64_t next_batch = 1;
    for (;;) {
      std::int64_t batch = is_root() && should_continue() ? next_batch : 0;
      mpi::check(MPI_Bcast(&batch, 1, MPI_INT64_T, job_group_.root, job_group_.group->handle()), "MPI_Bcast");
      if (batch == 0) return;
      const std::int64_t start = clock_.now_ns();
      repeat(batch, phase);
      // Time of the slowest rank, since the root may only be a target of one-sided communication and finish at once.
      const double slowest_s = reduced(job_group_, static_cast<double>(clock_.now_ns() - start) * 1e-9, MPI_MAX);
      // Some motifs take no time in a simulation; the batch size then stays as it is.
      const double fitting_repetitions = static_cast<double>(batch) * (slowest_s > 0 ? batch_s / slowest_s : 1);
      next_batch = std::clamp(static_cast<std::int64_t>(std::min(fitting_repetitions, 1e9)), std::int64_t{1},
                              std::min(largest_batch, batch * 4));
    }
  }

  void repeat_measured() {
    if (assignment_.min_time) {
      const std::int64_t start = clock_.now_ns();
      std::int64_t done = samples_.repetitions(Phase::measured);
      repeat_while(Phase::measured, [&] {
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
    loop.repeat_while(phase, [&] { return !completion->all_jobs_entered(); });
    loop.synchronise();
  }
  if (loop.is_root()) completion->wait();
}

}  // namespace stressbench::scheduler
