#include "replay/communicators.hpp"

#include <algorithm>

#include "mpi/group.hpp"

namespace stressbench::replay {

Communicators::Communicators(MPI_Comm world, std::size_t count)
    : handles_(std::max(count, predefined), MPI_COMM_NULL),
      preexisting_(handles_),
      creation_order_(handles_.size(), 0) {
  handles_[0] = world;
  handles_[1] = MPI_COMM_SELF;
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
