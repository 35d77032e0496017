#include "mpi/window.hpp"

#include <exception>
#include <utility>

namespace stressbench::mpi {

Window::Window(MPI_Win window, std::span<std::byte> memory)
    : window_(window), memory_(memory), exceptions_at_creation_(std::uncaught_exceptions()) {
  check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
}

Window Window::create(std::span<std::byte> memory, const Group& group) {
  MPI_Win created = MPI_WIN_NULL;
  check(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL, group.handle(), &created),
        "MPI_Win_create");
  return {created, memory};
}

Window Window::allocate(std::size_t size, const Group& group) {
  // Whole cache lines: with MPICH 4.0 the addresses of other ranks' memory on the same host are off by some bytes if a
  // size is not a multiple of 16 bytes.
  constexpr std::size_t line = 64;
  const std::size_t allocated_size = (size + line - 1) / line * line;
  MPI_Win created = MPI_WIN_NULL;
  void* memory = nullptr;
  check(MPI_Win_allocate(static_cast<MPI_Aint>(allocated_size), 1, MPI_INFO_NULL, group.handle(),
                         static_cast<void*>(&memory), &created),
        "MPI_Win_allocate");
  return {created, {static_cast<std::byte*>(memory), size}};
}

Window::Window(Window&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)),
      memory_(other.memory_),
      exceptions_at_creation_(other.exceptions_at_creation_) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(window_, other.window_);
  std::swap(memory_, other.memory_);
  std::swap(exceptions_at_creation_, other.exceptions_at_creation_);
  return *this;
}

Window::~Window() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() <= exceptions_at_creation_) MPI_Win_free(&window_);
}

RankSet::RankSet(const Group& group, std::span<const int> ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  check(MPI_Comm_group(group.handle(), &all), "MPI_Comm_group");
  const int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
  MPI_Group_free(&all);
  check(code, "MPI_Group_incl");
}

RankSet::RankSet(RankSet&& other) noexcept : group_(std::exchange(other.group_, MPI_GROUP_NULL)) {}

RankSet& RankSet::operator=(RankSet&& other) noexcept {
  std::swap(group_, other.group_);
  return *this;
}

RankSet::~RankSet() {
  if (group_ != MPI_GROUP_NULL && group_ != MPI_GROUP_EMPTY) MPI_Group_free(&group_);
}

}  // namespace stressbench::mpi
