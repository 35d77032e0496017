// Calls that wait for, test, start, cancel or free requests.
#include <mpi.h>

#include <array>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

void wait(ReplayState& s, const Instruction& i) {
  s.requests.clear_early(i.requests);
  mpi::check(s.requests.call_on(i.requests, [](int, MPI_Request* r) { return MPI_Wait(r, MPI_STATUS_IGNORE); }),
             i.name);
}
void waitall(ReplayState& s, const Instruction& i) {
  s.requests.clear_early(i.requests);
  mpi::check(
      s.requests.call_on(i.requests, [](int n, MPI_Request* r) { return MPI_Waitall(n, r, MPI_STATUSES_IGNORE); }),
      i.name);
}

// The test succeeded in the program: repeat it until it succeeds.
void test(ReplayState& s, const Instruction& i) {
  s.requests.clear_early(i.requests);
  int done = 0;
  while (!done) {
    mpi::check(
        s.requests.call_on(i.requests, [&](int, MPI_Request* r) { return MPI_Test(r, &done, MPI_STATUS_IGNORE); }),
        i.name);
  }
}
void testall(ReplayState& s, const Instruction& i) {
  s.requests.clear_early(i.requests);
  int done = 0;
  while (!done) {
    mpi::check(s.requests.call_on(i.requests,
                                  [&](int n, MPI_Request* r) { return MPI_Testall(n, r, &done, MPI_STATUSES_IGNORE); }),
               i.name);
  }
}

int waitany(int count, MPI_Request* requests, int* index) {
  mpi::check(MPI_Waitany(count, requests, index, MPI_STATUS_IGNORE), "MPI_Waitany");
  return *index == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
}
int testany(int count, MPI_Request* requests, int* index) {
  int done = 0;
  mpi::check(MPI_Testany(count, requests, index, &done, MPI_STATUS_IGNORE), "MPI_Testany");
  if (!done) return 0;
  return *index == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
}
int waitsome(int count, MPI_Request* requests, int* indices) {
  int done = 0;
  mpi::check(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE), "MPI_Waitsome");
  return done;
}
int testsome(int count, MPI_Request* requests, int* indices) {
  int done = 0;
  mpi::check(MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE), "MPI_Testsome");
  return done;
}
template <Requests::CompletionCall Call>
void complete_some(ReplayState& s, const Instruction& i) {
  s.requests.complete(i.requests, i.completed, Call);
}

void start(ReplayState& s, const Instruction& i) {
  mpi::check(s.requests.call_on(i.requests, [](int, MPI_Request* r) { return MPI_Start(r); }), i.name);
}
void startall(ReplayState& s, const Instruction& i) {
  mpi::check(s.requests.call_on(i.requests, [](int n, MPI_Request* r) { return MPI_Startall(n, r); }), i.name);
}
void request_free(ReplayState& s, const Instruction& i) {
  mpi::check(
      s.requests.call_on(
          i.requests, [](int, MPI_Request* r) { return *r == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Request_free(r); }),
      i.name);
}
// A request that the program cancelled may have completed early in the replay.
void cancel(ReplayState& s, const Instruction& i) {
  mpi::check(s.requests.call_on(
                 i.requests, [](int, MPI_Request* r) { return *r == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Cancel(r); }),
             i.name);
  s.requests.mark_cancelled(i.requests);
}

constexpr std::array operations{
    Operation{"MPI_Wait", ArgumentKind::completion, wait},
    Operation{"MPI_Waitall", ArgumentKind::completion, waitall},
    Operation{"MPI_Waitany", ArgumentKind::completion, complete_some<waitany>},
    Operation{"MPI_Waitsome", ArgumentKind::completion, complete_some<waitsome>},
    Operation{"MPI_Test", ArgumentKind::completion, test},
    Operation{"MPI_Testall", ArgumentKind::completion, testall},
    Operation{"MPI_Testany", ArgumentKind::completion, complete_some<testany>},
    Operation{"MPI_Testsome", ArgumentKind::completion, complete_some<testsome>},
    Operation{"MPI_Start", ArgumentKind::completion, start},
    Operation{"MPI_Startall", ArgumentKind::completion, startall},
    Operation{"MPI_Request_free", ArgumentKind::completion, request_free},
    Operation{"MPI_Cancel", ArgumentKind::completion, cancel},
};

}  // namespace

std::span<const Operation> completion_operations() noexcept { return operations; }

}  // namespace stressbench::replay
