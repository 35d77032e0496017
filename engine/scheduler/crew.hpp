// One job's ranks in one round: how many repetitions, and who decides when to stop.
#pragma once

#include <optional>

#include "core/clock.hpp"
#include "scheduler/chain.hpp"
#include "scheduler/collect.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// How a job is kept from working all the time: after each repetition it sleeps, outside of what is measured.
struct Rest {
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
  Care care = Care::none;
  Verification verification = Verification::off;
  Rest rest{};
};

// A barrier among the jobs that run together, entered when a job has all it wanted and asked after between batches of
// further repetitions. Only the crews' roots take part.
class Muster {
 public:
  // `roots`: a communicator of the roots of all jobs of this round; empty on other ranks and in isolated rounds.
  explicit Muster(const mpi::Group* roots) : roots_(roots) {}
  Muster(const Muster&) = delete;
  Muster& operator=(const Muster&) = delete;

  void enter();
  bool everyone_is_through();
  void wait();

 private:
  const mpi::Group* roots_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool entered_ = false;
  bool complete_ = false;
};

// Runs the job's part of a round; collective over the crew. `muster` null in an isolated round.
void run_round(Chain& chain, Tally& tally, const Crew& crew, const Clock& clock, const Assignment& assignment,
               Muster* muster);

}  // namespace stressbench::scheduler
