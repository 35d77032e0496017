// Windows, one-sided calls, and the synchronisation of epochs.
#include <mpi.h>

#include <array>
#include <tuple>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

MPI_Win window(ReplayState& s, const Instruction& i) { return s.windows[i.access.window]; }
MPI_Win accessed_window(ReplayState& s, const Instruction& i) { return s.windows.accessed(i.access, i.peer); }

void create(ReplayState& s, const Instruction& i) {
  const Access& a = i.access;
  mpi::check(MPI_Win_create(s.windows.memory(a.window), a.size, a.unit, MPI_INFO_NULL, s.comm(i),
                            s.windows.new_handle(a.window)),
             i.name);
  s.windows.exchange_extents(a, s.comm(i));
}
// Also for MPI_Win_allocate_shared, since the ranks of a replay may run on several nodes.
void allocate(ReplayState& s, const Instruction& i) {
  const Access& a = i.access;
  void* memory = nullptr;
  mpi::check(MPI_Win_allocate(a.size, a.unit, MPI_INFO_NULL, s.comm(i), &memory, s.windows.new_handle(a.window)),
             i.name);
  s.windows.exchange_extents(a, s.comm(i));
}
void free_window(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_Win_free(s.windows.handle(i.access.window)), i.name);
}

auto to_put(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.count, i.type, i.peer, i.access.displacement, i.count, i.type,
                    accessed_window(s, i));
}
auto to_get(ReplayState& s, const Instruction& i) {
  return std::tuple(s.receive_buffer(i), i.count, i.type, i.peer, i.access.displacement, i.count, i.type,
                    accessed_window(s, i));
}
auto to_accumulate(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.count, i.type, i.peer, i.access.displacement, i.count, i.type, i.operation,
                    accessed_window(s, i));
}
auto to_get_accumulate(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.count, i.type, s.receive_buffer(i), i.receive_count, i.type, i.peer,
                    i.access.displacement, i.receive_count, i.type, i.operation, accessed_window(s, i));
}
auto to_fetch(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), s.receive_buffer(i), i.type, i.peer, i.access.displacement, i.operation,
                    accessed_window(s, i));
}
auto to_compare_and_swap(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), s.send_buffer(i), s.receive_buffer(i), i.type, i.peer, i.access.displacement,
                    accessed_window(s, i));
}

auto window_only(ReplayState& s, const Instruction& i) { return std::tuple(window(s, i)); }
auto target_and_window(ReplayState& s, const Instruction& i) { return std::tuple(i.peer, window(s, i)); }
auto assertion_and_window(ReplayState& s, const Instruction& i) { return std::tuple(i.access.assertion, window(s, i)); }
auto group_and_window(ReplayState& s, const Instruction& i) {
  return std::tuple(i.access.group, i.access.assertion, window(s, i));
}
auto lock_and_window(ReplayState& s, const Instruction& i) {
  return std::tuple(i.access.lock, i.peer, i.access.assertion, window(s, i));
}
// The test succeeded in the program: repeat it until it succeeds.
void test(ReplayState& s, const Instruction& i) {
  int done = 0;
  while (!done) mpi::check(MPI_Win_test(window(s, i), &done), i.name);
}

constexpr std::array operations{
    Operation{"MPI_Win_create", ArgumentKind::window, create},
    Operation{"MPI_Win_allocate", ArgumentKind::window, allocate},
    Operation{"MPI_Win_allocate_shared", ArgumentKind::window, allocate},
    Operation{"MPI_Win_free", ArgumentKind::epoch, free_window},
    Operation{"MPI_Put", ArgumentKind::put, blocking<to_put, MPI_Put>},
    Operation{"MPI_Rput", ArgumentKind::put, nonblocking<to_put, MPI_Rput>},
    Operation{"MPI_Get", ArgumentKind::get, blocking<to_get, MPI_Get>},
    Operation{"MPI_Rget", ArgumentKind::get, nonblocking<to_get, MPI_Rget>},
    Operation{"MPI_Accumulate", ArgumentKind::put, blocking<to_accumulate, MPI_Accumulate>},
    Operation{"MPI_Raccumulate", ArgumentKind::put, nonblocking<to_accumulate, MPI_Raccumulate>},
    Operation{"MPI_Get_accumulate", ArgumentKind::fetch, blocking<to_get_accumulate, MPI_Get_accumulate>},
    Operation{"MPI_Rget_accumulate", ArgumentKind::fetch, nonblocking<to_get_accumulate, MPI_Rget_accumulate>},
    Operation{"MPI_Fetch_and_op", ArgumentKind::fetch, blocking<to_fetch, MPI_Fetch_and_op>},
    Operation{"MPI_Compare_and_swap", ArgumentKind::fetch, blocking<to_compare_and_swap, MPI_Compare_and_swap>},
    Operation{"MPI_Win_fence", ArgumentKind::epoch, blocking<assertion_and_window, MPI_Win_fence>},
    Operation{"MPI_Win_post", ArgumentKind::epoch, blocking<group_and_window, MPI_Win_post>},
    Operation{"MPI_Win_start", ArgumentKind::epoch, blocking<group_and_window, MPI_Win_start>},
    Operation{"MPI_Win_complete", ArgumentKind::epoch, blocking<window_only, MPI_Win_complete>},
    Operation{"MPI_Win_wait", ArgumentKind::epoch, blocking<window_only, MPI_Win_wait>},
    Operation{"MPI_Win_test", ArgumentKind::epoch, test},
    Operation{"MPI_Win_lock", ArgumentKind::epoch, blocking<lock_and_window, MPI_Win_lock>},
    Operation{"MPI_Win_unlock", ArgumentKind::epoch, blocking<target_and_window, MPI_Win_unlock>},
    Operation{"MPI_Win_lock_all", ArgumentKind::epoch, blocking<assertion_and_window, MPI_Win_lock_all>},
    Operation{"MPI_Win_unlock_all", ArgumentKind::epoch, blocking<window_only, MPI_Win_unlock_all>},
    Operation{"MPI_Win_flush", ArgumentKind::epoch, blocking<target_and_window, MPI_Win_flush>},
    Operation{"MPI_Win_flush_all", ArgumentKind::epoch, blocking<window_only, MPI_Win_flush_all>},
    Operation{"MPI_Win_flush_local", ArgumentKind::epoch, blocking<target_and_window, MPI_Win_flush_local>},
    Operation{"MPI_Win_flush_local_all", ArgumentKind::epoch, blocking<window_only, MPI_Win_flush_local_all>},
    Operation{"MPI_Win_sync", ArgumentKind::epoch, blocking<window_only, MPI_Win_sync>},
};

}  // namespace

std::span<const Operation> one_sided_operations() noexcept { return operations; }

}  // namespace stressbench::replay
