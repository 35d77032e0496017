// The table of MPI operations that can be replayed: what each needs, and the call that it is.
#pragma once

#include <span>
#include <string_view>

#include "replay/replay_state.hpp"

namespace stressbench::replay {

// What an operation's arguments mean, and so which memory it needs (docs/trace-format.md, "A call").
enum class Shape {
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
  split,    // colour and key as the program gave them
  grouped,  // only the members call
  cartesian,
  sub_cartesian,
  adjacent,
  file_open,
  file_move,   // a file and bytes
  file_other,  // a file, and perhaps an offset
  file_view,
  window,  // one is made
  epoch,   // on a window, and perhaps a partner: no data
  put,
  get,
  fetch,
};

struct Operation {
  const char* name;  // "MPI_Isend"
  Shape shape;
  Execute execute;
  RequestKind kind = RequestKind::collective;
};

std::span<const Operation> message_operations() noexcept;
std::span<const Operation> completion_operations() noexcept;
std::span<const Operation> collective_operations() noexcept;
std::span<const Operation> neighbour_operations() noexcept;
std::span<const Operation> communicator_operations() noexcept;
std::span<const Operation> file_operations() noexcept;
std::span<const Operation> one_sided_operations() noexcept;

// By its name without `MPI_`; null where it cannot be replayed.
const Operation* find_operation(std::string_view op) noexcept;
// Calls on files are made on scratch files, or not at all.
enum class FileCalls { left_out, made };

// Calls that a replay does not repeat (MPI_Init, or files).
bool is_left_out(std::string_view op, FileCalls files) noexcept;
// Throws UserMistake that names an operation which can be neither replayed nor left out, and why.
void must_be_known(std::string_view op, FileCalls files);

// One call from a function that gives its arguments as a tuple; nonblocking ones take the same and a request.
template <auto Arguments, auto Call>
void blocking(ReplayState& state, const Instruction& i) {
  mpi::must(std::apply(Call, Arguments(state, i)), i.name);
}
template <auto Arguments, auto Call>
void with_status(ReplayState& state, const Instruction& i) {
  mpi::must(std::apply(Call, std::tuple_cat(Arguments(state, i), std::tuple(MPI_STATUS_IGNORE))), i.name);
}
template <auto Arguments, auto Call>
void nonblocking(ReplayState& state, const Instruction& i) {
  mpi::must(std::apply(Call, std::tuple_cat(Arguments(state, i), std::tuple(state.make(i)))), i.name);
}

}  // namespace stressbench::replay
