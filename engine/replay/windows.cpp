#include "replay/windows.hpp"

#include "mpi/group.hpp"

namespace stressbench::replay {

Windows::Windows(const std::vector<std::size_t>& memory)
    : handles_(memory.size(), MPI_WIN_NULL), creation_order_(memory.size(), 0) {
  for (const std::size_t bytes : memory) memory_.push_back(bytes > 0 ? Buffer(bytes) : Buffer());
}

void Windows::release() {
  for (;;) {
    std::size_t oldest = handles_.size();
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] == MPI_WIN_NULL) continue;
      if (oldest == handles_.size() || creation_order_[i] < creation_order_[oldest]) oldest = i;
    }
    if (oldest == handles_.size()) break;
    mpi::check(MPI_Win_free(&handles_[oldest]), "MPI_Win_free");
  }
  creations_ = 0;
}

}  // namespace stressbench::replay
