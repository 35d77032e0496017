// Calls that create and free communicators.
#include <mpi.h>

#include <array>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

void dup(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_Comm_dup(s.comm(i), s.comms.new_handle(i.creation.new_comm)), i.name);
}
void idup(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_Comm_idup(s.comm(i), s.comms.new_handle(i.creation.new_comm), s.new_request(i)), i.name);
}
// MPI_Comm_split, also used for MPI_Comm_split_type and MPI_Comm_create: their groups are known from the communicators
// that they created.
void split(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_Comm_split(s.comm(i), i.creation.colour, i.creation.key, s.comms.new_handle(i.creation.new_comm)),
             i.name);
  s.comms.check_created(i.creation.new_comm);
}
void create_group(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_Comm_create_group(s.comm(i), i.creation.members, i.tag, s.comms.new_handle(i.creation.new_comm)),
             i.name);
  s.comms.check_created(i.creation.new_comm);
}

// Creates a topology communicator without reordering, on a communicator whose ranks are already in the captured order.
template <class Create>
void create_in_captured_order(ReplayState& s, const Instruction& i, Create create) {
  const Creation& c = i.creation;
  MPI_Comm ordered = s.comm(i);
  if (c.reordered) mpi::check(MPI_Comm_split(ordered, c.colour, c.key, &ordered), "MPI_Comm_split");
  MPI_Comm* const new_comm = s.comms.new_handle(c.new_comm);
  // A rank that is not a member after the split creates nothing.
  if (ordered != MPI_COMM_NULL) mpi::check(create(ordered, new_comm), i.name);
  if (c.reordered && ordered != MPI_COMM_NULL) mpi::check(MPI_Comm_free(&ordered), "MPI_Comm_free");
  s.comms.check_created(c.new_comm);
}
void cart_create(ReplayState& s, const Instruction& i) {
  create_in_captured_order(s, i, [&](MPI_Comm from, MPI_Comm* new_comm) {
    return MPI_Cart_create(from, i.creation.dimensions, i.creation.dims, i.creation.periods, 0, new_comm);
  });
}
void cart_sub(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_Cart_sub(s.comm(i), i.creation.dims, s.comms.new_handle(i.creation.new_comm)), i.name);
  s.comms.check_created(i.creation.new_comm);
}
// Also for MPI_Graph_create and MPI_Dist_graph_create, since the trace lists the neighbours of each rank.
void dist_graph_create_adjacent(ReplayState& s, const Instruction& i) {
  create_in_captured_order(s, i, [&](MPI_Comm from, MPI_Comm* new_comm) {
    const Creation& c = i.creation;
    return MPI_Dist_graph_create_adjacent(from, c.indegree, c.sources, MPI_UNWEIGHTED, c.outdegree, c.destinations,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, new_comm);
  });
}
void free_communicator(ReplayState& s, const Instruction& i) {
  mpi::check(s.comms.free(i.comm, MPI_Comm_free), i.name);
}
void disconnect(ReplayState& s, const Instruction& i) { mpi::check(s.comms.free(i.comm, MPI_Comm_disconnect), i.name); }

constexpr std::array operations{
    Operation{"MPI_Comm_dup", ArgumentKind::creation, dup},
    Operation{"MPI_Comm_dup_with_info", ArgumentKind::creation, dup},
    Operation{"MPI_Comm_idup", ArgumentKind::creation, creating_request(idup)},
    Operation{"MPI_Comm_split", ArgumentKind::split, split},
    Operation{"MPI_Comm_split_type", ArgumentKind::creation, split},
    Operation{"MPI_Comm_create", ArgumentKind::creation, split},
    Operation{"MPI_Comm_create_group", ArgumentKind::grouped, create_group},
    Operation{"MPI_Cart_create", ArgumentKind::cartesian, cart_create},
    Operation{"MPI_Cart_sub", ArgumentKind::sub_cartesian, cart_sub},
    Operation{"MPI_Graph_create", ArgumentKind::adjacent, dist_graph_create_adjacent},
    Operation{"MPI_Dist_graph_create", ArgumentKind::adjacent, dist_graph_create_adjacent},
    Operation{"MPI_Dist_graph_create_adjacent", ArgumentKind::adjacent, dist_graph_create_adjacent},
    Operation{"MPI_Comm_free", ArgumentKind::nothing, free_communicator},
    Operation{"MPI_Comm_disconnect", ArgumentKind::nothing, disconnect},
};

}  // namespace

std::span<const Operation> communicator_operations() noexcept { return operations; }

}  // namespace stressbench::replay
