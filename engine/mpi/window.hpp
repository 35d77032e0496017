// RAII wrappers for one-sided communication: windows and groups of ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "mpi/group.hpp"

namespace stressbench::mpi {

class Window {
 public:
  Window() = default;
  // Collective. Over memory that outlives the window.
  static Window create(std::span<std::byte> memory, const Group& group);
  // Collective. Over memory that the library allocates.
  static Window allocate(std::size_t size, const Group& group);

  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  // Collective, except after a fault, when the other ranks do not take part.
  ~Window();

  MPI_Win handle() const noexcept { return window_; }
  std::span<std::byte> memory() const noexcept { return memory_; }
  explicit operator bool() const noexcept { return window_ != MPI_WIN_NULL; }

 private:
  Window(MPI_Win window, std::span<std::byte> memory);

  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::byte> memory_;
  int exceptions_at_creation_ = 0;  // number of uncaught exceptions when the window was created
};

// A set of ranks as MPI_Win_post and MPI_Win_start take it (an MPI_Group).
class RankSet {
 public:
  RankSet() = default;
  // `ranks` are distinct ranks of `group`.
  RankSet(const Group& group, std::span<const int> ranks);
  RankSet(RankSet&& other) noexcept;
  RankSet& operator=(RankSet&& other) noexcept;
  RankSet(const RankSet&) = delete;
  RankSet& operator=(const RankSet&) = delete;
  ~RankSet();

  MPI_Group handle() const noexcept { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace stressbench::mpi
