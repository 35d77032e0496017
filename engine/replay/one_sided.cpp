// Windows, one-sided calls, and the synchronisation of epochs.
#include <mpi.h>

#include <array>
#include <tuple>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

MPI_Win window(ReplayState& s, const Instruction& i) { return s.windows[i.access.window]; }

void create(ReplayState& s, const Instruction& i) {
  const Access& a = i.access;
  mpi::must(
      MPI_Win_create(s.windows.memory(a.window), a.size, a.unit, MPI_INFO_NULL, s.comm(i), s.windows.make(a.window)),
      i.name);
}
// Also for MPI_Win_allocate_shared, since the ranks of a replay may run on several nodes.
void allocate(ReplayState& s, const Instruction& i) {
  const Access& a = i.access;
  void* memory = nullptr;
  mpi::must(MPI_Win_allocate(a.size, a.unit, MPI_INFO_NULL, s.comm(i), &memory, s.windows.make(a.window)), i.name);
}
void free_window(ReplayState& s, const Instruction& i) {
  mpi::must(MPI_Win_free(s.windows.find(i.access.window)), i.name);
}

auto to_put(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.count, i.type, i.peer, i.access.displacement, i.count, i.type, window(s, i));
}
auto to_get(ReplayState& s, const Instruction& i) {
  return std::tuple(s.in(i), i.count, i.type, i.peer, i.access.displacement, i.count, i.type, window(s, i));
}
auto to_accumulate(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.count, i.type, i.peer, i.access.displacement, i.count, i.type, i.operation,
                    window(s, i));
}
auto to_get_accumulate(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.count, i.type, s.in(i), i.receive_count, i.type, i.peer, i.access.displacement,
                    i.receive_count, i.type, i.operation, window(s, i));
}
auto to_fetch(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), s.in(i), i.type, i.peer, i.access.displacement, i.operation, window(s, i));
}
auto to_compare_and_swap(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), s.out(i), s.in(i), i.type, i.peer, i.access.displacement, window(s, i));
}

auto on_all(ReplayState& s, const Instruction& i) { return std::tuple(window(s, i)); }
auto on_target(ReplayState& s, const Instruction& i) { return std::tuple(i.peer, window(s, i)); }
auto asserting(ReplayState& s, const Instruction& i) { return std::tuple(i.access.assertion, window(s, i)); }
auto with_group(ReplayState& s, const Instruction& i) {
  return std::tuple(i.access.group, i.access.assertion, window(s, i));
}
auto to_lock(ReplayState& s, const Instruction& i) {
  return std::tuple(i.access.lock, i.peer, i.access.assertion, window(s, i));
}
// The test succeeded in the program: repeat it until it succeeds.
void test(ReplayState& s, const Instruction& i) {
  int done = 0;
  while (!done) mpi::must(MPI_Win_test(window(s, i), &done), i.name);
}

constexpr std::array operations{
    Operation{"MPI_Win_create", Shape::window, create},
    Operation{"MPI_Win_allocate", Shape::window, allocate},
    Operation{"MPI_Win_allocate_shared", Shape::window, allocate},
    Operation{"MPI_Win_free", Shape::epoch, free_window},
    Operation{"MPI_Put", Shape::put, blocking<to_put, MPI_Put>},
    Operation{"MPI_Rput", Shape::put, nonblocking<to_put, MPI_Rput>},
    Operation{"MPI_Get", Shape::get, blocking<to_get, MPI_Get>},
    Operation{"MPI_Rget", Shape::get, nonblocking<to_get, MPI_Rget>},
    Operation{"MPI_Accumulate", Shape::put, blocking<to_accumulate, MPI_Accumulate>},
    Operation{"MPI_Raccumulate", Shape::put, nonblocking<to_accumulate, MPI_Raccumulate>},
    Operation{"MPI_Get_accumulate", Shape::fetch, blocking<to_get_accumulate, MPI_Get_accumulate>},
    Operation{"MPI_Rget_accumulate", Shape::fetch, nonblocking<to_get_accumulate, MPI_Rget_accumulate>},
    Operation{"MPI_Fetch_and_op", Shape::fetch, blocking<to_fetch, MPI_Fetch_and_op>},
    Operation{"MPI_Compare_and_swap", Shape::fetch, blocking<to_compare_and_swap, MPI_Compare_and_swap>},
    Operation{"MPI_Win_fence", Shape::epoch, blocking<asserting, MPI_Win_fence>},
    Operation{"MPI_Win_post", Shape::epoch, blocking<with_group, MPI_Win_post>},
    Operation{"MPI_Win_start", Shape::epoch, blocking<with_group, MPI_Win_start>},
    Operation{"MPI_Win_complete", Shape::epoch, blocking<on_all, MPI_Win_complete>},
    Operation{"MPI_Win_wait", Shape::epoch, blocking<on_all, MPI_Win_wait>},
    Operation{"MPI_Win_test", Shape::epoch, test},
    Operation{"MPI_Win_lock", Shape::epoch, blocking<to_lock, MPI_Win_lock>},
    Operation{"MPI_Win_unlock", Shape::epoch, blocking<on_target, MPI_Win_unlock>},
    Operation{"MPI_Win_lock_all", Shape::epoch, blocking<asserting, MPI_Win_lock_all>},
    Operation{"MPI_Win_unlock_all", Shape::epoch, blocking<on_all, MPI_Win_unlock_all>},
    Operation{"MPI_Win_flush", Shape::epoch, blocking<on_target, MPI_Win_flush>},
    Operation{"MPI_Win_flush_all", Shape::epoch, blocking<on_all, MPI_Win_flush_all>},
    Operation{"MPI_Win_flush_local", Shape::epoch, blocking<on_target, MPI_Win_flush_local>},
    Operation{"MPI_Win_flush_local_all", Shape::epoch, blocking<on_all, MPI_Win_flush_local_all>},
    Operation{"MPI_Win_sync", Shape::epoch, blocking<on_all, MPI_Win_sync>},
};

}  // namespace

std::span<const Operation> one_sided_operations() noexcept { return operations; }

}  // namespace stressbench::replay
