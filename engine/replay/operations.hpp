// Table of the MPI operations that can be replayed, each with the meaning of its arguments and the function that makes
// the call.
#pragma once

#include <span>
#include <string_view>

#include "replay/replay_state.hpp"
#include "trace/record.hpp"

namespace stressbench::replay {

// Meaning of an operation's arguments, which determines the memory it needs (docs/trace-format.md, "A call").
enum class ArgumentKind {
  nothing,
  send,
  receive,
  send_receive,
  replace,
  envelope,  // peer and tag only: probes
  completion,
  vector,         // Bcast, Reduce, Allreduce, Scan
  scatter_block,  // Reduce_scatter_block
  scatter_vector,
  gather,
  scatter,
  allgather,
  alltoall,
  gather_blocks,
  scatter_blocks,
  allgather_blocks,
  alltoall_blocks,
  neighbour_allgather,
  neighbour_allgather_blocks,
  neighbour_alltoall,
  neighbour_alltoall_blocks,
  creation,
  split,    // with the program's colour and key
  grouped,  // called by the members only
  cartesian,
  sub_cartesian,
  adjacent,
  file_open,
  file_move,   // reads or writes bytes of a file
  file_other,  // a file, some with an offset
  file_view,
  window,  // creates a window
  epoch,   // synchronisation on a window, some with a partner; no data
  put,
  get,
  fetch,
};

// How an operation is executed. Those that create a request store it in the slot that their call names.
struct Execution {
  constexpr Execution(Execute function, bool makes_request = false)  // NOLINT: functions are executions
      : execute(function), creates_request(makes_request) {}
  Execute execute;
  bool creates_request;
};

struct Operation {
  const char* name;  // "MPI_Isend"
  ArgumentKind argument_kind;
  Execution execution;
  RequestKind request_kind = RequestKind::collective;
};

std::span<const Operation> message_operations() noexcept;
std::span<const Operation> completion_operations() noexcept;
std::span<const Operation> collective_operations() noexcept;
std::span<const Operation> neighbour_operations() noexcept;
std::span<const Operation> communicator_operations() noexcept;
std::span<const Operation> file_operations() noexcept;
std::span<const Operation> one_sided_operations() noexcept;

// Looks up an operation by its name without `MPI_`; null if it cannot be replayed.
const Operation* find_operation(std::string_view op) noexcept;
// Whether file calls are made on scratch files or left out.
enum class FileCalls { skipped, executed };

// Whether a replay skips calls of this operation (MPI_Init, or file calls).
bool is_skipped(std::string_view op, FileCalls files) noexcept;
// Throws UserMistake, with the reason, for a call that can be neither replayed nor left out.
void require_replayable(const trace::Call& call, FileCalls files);

// Makes one MPI call. `Arguments` is a function that returns the arguments as a tuple; the other two forms append a
// status or a request.
template <auto Arguments, auto Call>
void blocking(ReplayState& state, const Instruction& i) {
  mpi::check(std::apply(Call, Arguments(state, i)), i.name);
}
template <auto Arguments, auto Call>
void with_status(ReplayState& state, const Instruction& i) {
  mpi::check(std::apply(Call, std::tuple_cat(Arguments(state, i), std::tuple(MPI_STATUS_IGNORE))), i.name);
}
template <auto Arguments, auto Call>
void with_request(ReplayState& state, const Instruction& i) {
  mpi::check(std::apply(Call, std::tuple_cat(Arguments(state, i), std::tuple(state.new_request(i)))), i.name);
}
constexpr Execution creating_request(Execute execute) { return {execute, true}; }
template <auto Arguments, auto Call>
inline constexpr Execution nonblocking = creating_request(with_request<Arguments, Call>);

}  // namespace stressbench::replay
