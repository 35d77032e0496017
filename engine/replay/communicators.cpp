#include "replay/communicators.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "mpi/group.hpp"

namespace stressbench::replay {

Communicators::Communicators(MPI_Comm world, const std::vector<trace::Communicator>& described)
    : handles_(std::max(described.size(), predefined), MPI_COMM_NULL),
      preexisting_(handles_),
      creation_order_(handles_.size(), 0) {
  handles_[0] = world;
  handles_[1] = MPI_COMM_SELF;
  for (const trace::Communicator& comm : described) extents_.push_back({comm.size, comm.rank});
}

void Communicators::check_created(int number) const {
  if (number < 0) return;
  const MPI_Comm created = handles_[static_cast<std::size_t>(number)];
  const Extent& stated = extents_[static_cast<std::size_t>(number)];
  Extent found{0, -1};
  if (created != MPI_COMM_NULL) {
    mpi::check(MPI_Comm_size(created, &found.size), "MPI_Comm_size");
    mpi::check(MPI_Comm_rank(created, &found.rank), "MPI_Comm_rank");
  }
  if (found.size == stated.size && found.rank == stated.rank) return;
  throw MachineFault(
      "the trace is inconsistent: its communicator {} has {} ranks, of which this one is number {}; the replay's has "
      "{}, of which it is number {}",
      number, stated.size, stated.rank, found.size, found.rank);
}

MPI_Comm* Communicators::new_handle(int number) noexcept {
  if (number < 0) return &discarded_;
  creation_order_[static_cast<std::size_t>(number)] = ++creations_;
  return &handles_[static_cast<std::size_t>(number)];
}

void Communicators::release() {
  for (;;) {
    std::size_t oldest = 0;
    for (std::size_t i = predefined; i < handles_.size(); ++i) {
      if (handles_[i] == MPI_COMM_NULL || is_preexisting(i)) continue;
      if (oldest == 0 || creation_order_[i] < creation_order_[oldest]) oldest = i;
    }
    if (oldest == 0) break;
    mpi::check(MPI_Comm_free(&handles_[oldest]), "MPI_Comm_free");
  }
  creations_ = 0;
  for (std::size_t i = predefined; i < handles_.size(); ++i) handles_[i] = preexisting_[i];
}

}  // namespace stressbench::replay
