#include "schedule/park.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "schedule/stall.hpp"

namespace stressbench::schedule {

namespace {

using std::chrono::microseconds;

struct Pauses {
  microseconds first;
  microseconds longest;
  int growth;  // each is longer than the last by one part in this many
};

constexpr Pauses pauses_of(Pace pace) {
  return pace == Pace::meeting ? Pauses{microseconds{50}, microseconds{5000}, 2}
                               : Pauses{microseconds{5000}, microseconds{50000}, 8};
}

}  // namespace

void gentle_wait(MPI_Request& request, Pace pace) {
  std::optional<stall::Unwatched> others_measure;
  if (pace == Pace::parked) others_measure.emplace();
  const Pauses pauses = pauses_of(pace);
  microseconds pause = pauses.first;
  for (;;) {
    int done = 0;
    mpi::must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(pauses.longest, pause + pause / pauses.growth);
  }
}

void gentle_barrier(const mpi::Group& group, Pace pace) {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::must(MPI_Ibarrier(group.handle(), &request), "MPI_Ibarrier");
  gentle_wait(request, pace);
}

}  // namespace stressbench::schedule
