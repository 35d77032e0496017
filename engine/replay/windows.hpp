// The windows of the captured program, created and freed where the program did so.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"

namespace stressbench::replay {

// Additional arguments of a one-sided call.
struct Access {
  int window = -1;  // slot
  MPI_Aint displacement = 0;
  MPI_Aint size = 0;  // of the memory of one that is made
  int unit = 1;       // of its displacements
  int lock = MPI_LOCK_SHARED;
  int assertion = 0;
  MPI_Group group = MPI_GROUP_NULL;
};

class Windows {
 public:
  Windows() = default;
  // `memory[slot]` bytes are kept for windows on the program's own memory.
  explicit Windows(const std::vector<std::size_t>& memory);

  MPI_Win operator[](int slot) const noexcept { return handles_[static_cast<std::size_t>(slot)]; }
  MPI_Win* find(int slot) noexcept { return &handles_[static_cast<std::size_t>(slot)]; }
  // Where a call stores the window that it creates.
  MPI_Win* make(int slot) noexcept {
    creation_order_[static_cast<std::size_t>(slot)] = ++creations_;
    return find(slot);
  }
  std::byte* memory(int slot) const noexcept { return memory_[static_cast<std::size_t>(slot)].data(); }
  // Frees the windows that the program left, in the order of creation, which is the same on all ranks of a window.
  void release();

 private:
  std::vector<MPI_Win> handles_;
  std::vector<Buffer> memory_;
  std::vector<std::uint64_t> creation_order_;
  std::uint64_t creations_ = 0;
};

}  // namespace stressbench::replay
