#include "scheduler/sleeping_barrier.hpp"

#include <algorithm>
#include <optional>

#include "core/clock.hpp"
#include "scheduler/stall.hpp"

namespace stressbench::scheduler {

namespace {

struct Pauses {
  std::int64_t first_ns;
  std::int64_t longest_ns;
  int growth;  // each pause is longer than the one before by 1/growth
};

constexpr Pauses pauses_for(WaitPhase phase) {
  return phase == WaitPhase::arriving ? Pauses{50'000, 5'000'000, 2} : Pauses{5'000'000, 50'000'000, 8};
}

}  // namespace

void sleeping_wait(MPI_Request& request, WaitPhase phase) {
  std::optional<stall::WatchdogSuspension> others_measure;
  if (phase == WaitPhase::parked) others_measure.emplace();
  const Pauses pauses = pauses_for(phase);
  std::int64_t pause_ns = pauses.first_ns;
  for (;;) {
    int done = 0;
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    sleep_for(pause_ns);
    pause_ns = std::min(pauses.longest_ns, pause_ns + pause_ns / pauses.growth);
  }
}

void sleeping_barrier(const mpi::Group& group, WaitPhase phase) {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Ibarrier(group.handle(), &request), "MPI_Ibarrier");
  sleeping_wait(request, phase);
}

}  // namespace stressbench::scheduler
