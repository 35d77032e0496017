#include "motifs/clock_offset.hpp"

#include <mpi.h>

#include <limits>

namespace stressbench {
namespace {

constexpr int round_trips = 20;
constexpr int tag = 1;

void send(std::int64_t value, int to, const mpi::Group& group) {
  mpi::check(MPI_Send(&value, 1, MPI_INT64_T, to, tag, group.handle()), "MPI_Send");
}

std::int64_t receive(int from, const mpi::Group& group) {
  std::int64_t value = 0;
  mpi::check(MPI_Recv(&value, 1, MPI_INT64_T, from, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  return value;
}

// Returns this rank's clock minus the parent's, assuming that the parent reads its clock in the middle of the round
// trip: wrong by at most half of it.
std::int64_t measure_offset(int parent, const mpi::Group& group, const Clock& clock) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t offset = 0;
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t sent_ns = clock.now_ns();
    send(sent_ns, parent, group);
    const std::int64_t parent_ns = receive(parent, group);
    const std::int64_t received_ns = clock.now_ns();
    if (received_ns - sent_ns >= shortest) continue;
    shortest = received_ns - sent_ns;
    offset = sent_ns + shortest / 2 - parent_ns;
  }
  return offset;
}

void serve_clock(int child, const mpi::Group& group, const Clock& clock) {
  for (int i = 0; i < round_trips; ++i) {
    receive(child, group);
    send(clock.now_ns(), child, group);
  }
}

}  // namespace

std::int64_t clock_offset_ns(const mpi::Group& group, const Clock& clock) {
  const int rank = group.rank();
  std::int64_t offset = 0;
  int step = 1;
  for (; step < group.size(); step *= 2) {
  }
  // From the widest step down, so that a parent already knows its own offset.
  for (step /= 2; step > 0; step /= 2) {
    if (rank % (2 * step) == 0 && rank + step < group.size()) {
      serve_clock(rank + step, group, clock);
      send(offset, rank + step, group);
    } else if (rank % (2 * step) == step) {
      offset = measure_offset(rank - step, group, clock);
      offset += receive(rank - step, group);
    }
  }
  return offset;
}

}  // namespace stressbench
