#include "scheduler/park.hpp"

#include <algorithm>
#include <optional>

#include "core/clock.hpp"
#include "scheduler/stall.hpp"

namespace stressbench::scheduler {

namespace {

struct Pauses {
  std::int64_t first_ns;
  std::int64_t longest_ns;
  int growth;  // each is longer than the last by one part in this many
};

constexpr Pauses pauses_of(Pace pace) {
  return pace == Pace::meeting ? Pauses{50'000, 5'000'000, 2} : Pauses{5'000'000, 50'000'000, 8};
}

}  // namespace

void gentle_wait(MPI_Request& request, Pace pace) {
  std::optional<stall::Unwatched> others_measure;
  if (pace == Pace::parked) others_measure.emplace();
  const Pauses pauses = pauses_of(pace);
  std::int64_t pause_ns = pauses.first_ns;
  for (;;) {
    int done = 0;
    mpi::must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    sleep_for(pause_ns);
    pause_ns = std::min(pauses.longest_ns, pause_ns + pause_ns / pauses.growth);
  }
}

void gentle_barrier(const mpi::Group& group, Pace pace) {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::must(MPI_Ibarrier(group.handle(), &request), "MPI_Ibarrier");
  gentle_wait(request, pace);
}

}  // namespace stressbench::scheduler
