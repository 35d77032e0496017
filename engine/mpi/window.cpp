#include "mpi/window.hpp"

#include <exception>
#include <utility>

namespace stressbench::mpi {

Window::Window(MPI_Win window, std::span<std::byte> memory)
    : window_(window), memory_(memory), faults_(std::uncaught_exceptions()) {
  must(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
}

Window Window::create(std::span<std::byte> memory, const Group& group) {
  MPI_Win made = MPI_WIN_NULL;
  must(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL, group.handle(), &made),
       "MPI_Win_create");
  return {made, memory};
}

Window Window::allocate(std::size_t size, const Group& group) {
  // Whole cache lines: with MPICH 4.0 the addresses of other ranks' memory on the same host are off by some bytes if a
  // size is not a multiple of 16 bytes.
  constexpr std::size_t line = 64;
  const std::size_t asked = (size + line - 1) / line * line;
  MPI_Win made = MPI_WIN_NULL;
  void* memory = nullptr;
  must(MPI_Win_allocate(static_cast<MPI_Aint>(asked), 1, MPI_INFO_NULL, group.handle(), static_cast<void*>(&memory),
                        &made),
       "MPI_Win_allocate");
  return {made, {static_cast<std::byte*>(memory), size}};
}

Window::Window(Window&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)), memory_(other.memory_), faults_(other.faults_) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(window_, other.window_);
  std::swap(memory_, other.memory_);
  std::swap(faults_, other.faults_);
  return *this;
}

Window::~Window() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() <= faults_) MPI_Win_free(&window_);
}

Members::Members(const Group& group, std::span<const int> ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  must(MPI_Comm_group(group.handle(), &all), "MPI_Comm_group");
  const int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &members_);
  MPI_Group_free(&all);
  must(code, "MPI_Group_incl");
}

Members::Members(Members&& other) noexcept : members_(std::exchange(other.members_, MPI_GROUP_NULL)) {}

Members& Members::operator=(Members&& other) noexcept {
  std::swap(members_, other.members_);
  return *this;
}

Members::~Members() {
  if (members_ != MPI_GROUP_NULL && members_ != MPI_GROUP_EMPTY) MPI_Group_free(&members_);
}

}  // namespace stressbench::mpi
