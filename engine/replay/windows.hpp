// The RMA windows of the captured program, created and freed at the same points as in the program.
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
  MPI_Aint size = 0;  // memory of a new window, in bytes
  int unit = 1;       // displacement unit of a new window
  int lock = MPI_LOCK_SHARED;
  int assertion = 0;
  MPI_Group group = MPI_GROUP_NULL;
};

class Windows {
 public:
  Windows() = default;
  // `memory[slot]` bytes are allocated for windows from MPI_Win_create.
  explicit Windows(const std::vector<std::size_t>& memory);

  MPI_Win operator[](int slot) const noexcept { return handles_[static_cast<std::size_t>(slot)]; }
  MPI_Win* handle(int slot) noexcept { return &handles_[static_cast<std::size_t>(slot)]; }
  // Where a call stores the window that it creates.
  MPI_Win* new_handle(int slot) noexcept {
    creation_order_[static_cast<std::size_t>(slot)] = ++creations_;
    return handle(slot);
  }
  std::byte* memory(int slot) const noexcept { return memory_[static_cast<std::size_t>(slot)].data(); }
  // Frees the windows that the program left open, in the order of creation, which is the same on all ranks of a window.
  void release();

 private:
  std::vector<MPI_Win> handles_;
  std::vector<Buffer> memory_;
  std::vector<std::uint64_t> creation_order_;
  std::uint64_t creations_ = 0;
};

}  // namespace stressbench::replay
