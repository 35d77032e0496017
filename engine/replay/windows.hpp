// The RMA windows of the captured program, created and freed at the same points as in the program.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/buffer.hpp"
#include "mpi/group.hpp"
#include "trace/record.hpp"

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
  std::int64_t bytes = 0;  // length in the partner's memory of what is put or fetched
};

// The windows that the ranks create. An access that lies within the smallest of them with the largest unit lies within
// every window; one that reaches beyond the largest with the smallest unit is wrong.
struct WindowLimits {
  std::int64_t min_bytes = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_bytes = 0;
  std::int64_t min_unit = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_unit = 1;
};
WindowLimits window_limits_of(const trace::RankRecord& record) noexcept;
// Collective: the limits over all ranks.
WindowLimits window_limits_of(const WindowLimits& own, const mpi::Group& group);
// Whether the access lies within every window. Throws UserMistake if it lies within none.
bool is_within(const Access& access, const WindowLimits& limits);

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
  // Some rank's accesses lie within some windows only, so each has to be compared with its partner's memory.
  void compare_accesses() { extents_.resize(handles_.size()); }
  // Collective over the ranks of a window that was just created: if accesses are compared, all learn the memory of
  // each.
  void exchange_extents(const Access& created, MPI_Comm comm);
  // The window of an access. Throws MachineFault if the access is not within the memory of `rank`.
  MPI_Win accessed(const Access& access, int rank) const {
    if (!extents_.empty()) check_access(access, rank);
    return (*this)[access.window];
  }
  std::byte* memory(int slot) const noexcept { return memory_[static_cast<std::size_t>(slot)].data(); }
  // Frees the windows that the program left open, in the order of creation, which is the same on all ranks of a window.
  void release();

 private:
  struct Extent {
    std::int64_t bytes = 0;
    std::int64_t unit = 1;
  };
  void check_access(const Access& access, int rank) const;

  std::vector<std::vector<Extent>> extents_;  // of the ranks of each window; empty: accesses are not compared
  std::vector<MPI_Win> handles_;
  std::vector<Buffer> memory_;
  std::vector<std::uint64_t> creation_order_;
  std::uint64_t creations_ = 0;
};

}  // namespace stressbench::replay
