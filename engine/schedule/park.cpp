#include "schedule/park.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace stressbench::schedule {

void gentle_wait(MPI_Request& request) {
  using std::chrono::microseconds;
  constexpr microseconds longest{5000};
  microseconds pause{50};
  for (;;) {
    int done = 0;
    mpi::must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(longest, pause + pause / 2);
  }
}

void gentle_barrier(const mpi::Group& group) {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::must(MPI_Ibarrier(group.handle(), &request), "MPI_Ibarrier");
  gentle_wait(request);
}

}  // namespace stressbench::schedule
