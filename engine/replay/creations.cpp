// Calls that create and free communicators.
#include <mpi.h>

#include <array>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

void dup(ReplayState& s, const Instruction& i) {
  mpi::must(MPI_Comm_dup(s.comm(i), s.comms.make(i.creation.made)), i.name);
}
void idup(ReplayState& s, const Instruction& i) {
  mpi::must(MPI_Comm_idup(s.comm(i), s.comms.make(i.creation.made), s.make(i)), i.name);
}
// MPI_Comm_split, also used for MPI_Comm_split_type and MPI_Comm_create: their groups are known from the communicators
// that they created.
void split(ReplayState& s, const Instruction& i) {
  mpi::must(MPI_Comm_split(s.comm(i), i.creation.colour, i.creation.key, s.comms.make(i.creation.made)), i.name);
}
void create_group(ReplayState& s, const Instruction& i) {
  mpi::must(MPI_Comm_create_group(s.comm(i), i.creation.members, i.tag, s.comms.make(i.creation.made)), i.name);
}

// Creates a topology communicator without reordering, on a communicator whose ranks are already in the captured order.
template <class Make>
void make_in_order(ReplayState& s, const Instruction& i, Make make) {
  const Creation& c = i.creation;
  MPI_Comm ordered = s.comm(i);
  if (c.reordered) mpi::must(MPI_Comm_split(ordered, c.colour, c.key, &ordered), "MPI_Comm_split");
  MPI_Comm* const made = s.comms.make(c.made);
  // A rank that is not a member after the split creates nothing.
  if (ordered != MPI_COMM_NULL) mpi::must(make(ordered, made), i.name);
  if (c.reordered && ordered != MPI_COMM_NULL) mpi::must(MPI_Comm_free(&ordered), "MPI_Comm_free");
}
void cart_create(ReplayState& s, const Instruction& i) {
  make_in_order(s, i, [&](MPI_Comm from, MPI_Comm* made) {
    return MPI_Cart_create(from, i.creation.dimensions, i.creation.dims, i.creation.periods, 0, made);
  });
}
void cart_sub(ReplayState& s, const Instruction& i) {
  mpi::must(MPI_Cart_sub(s.comm(i), i.creation.dims, s.comms.make(i.creation.made)), i.name);
}
// Also for MPI_Graph_create and MPI_Dist_graph_create, since the trace lists the neighbours of each rank.
void dist_graph_create_adjacent(ReplayState& s, const Instruction& i) {
  make_in_order(s, i, [&](MPI_Comm from, MPI_Comm* made) {
    const Creation& c = i.creation;
    return MPI_Dist_graph_create_adjacent(from, c.indegree, c.sources, MPI_UNWEIGHTED, c.outdegree, c.destinations,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  });
}
void free_communicator(ReplayState& s, const Instruction& i) { mpi::must(s.comms.free(i.comm, MPI_Comm_free), i.name); }
void disconnect(ReplayState& s, const Instruction& i) { mpi::must(s.comms.free(i.comm, MPI_Comm_disconnect), i.name); }

constexpr std::array operations{
    Operation{"MPI_Comm_dup", Shape::creation, dup},
    Operation{"MPI_Comm_dup_with_info", Shape::creation, dup},
    Operation{"MPI_Comm_idup", Shape::creation, idup},
    Operation{"MPI_Comm_split", Shape::split, split},
    Operation{"MPI_Comm_split_type", Shape::creation, split},
    Operation{"MPI_Comm_create", Shape::creation, split},
    Operation{"MPI_Comm_create_group", Shape::grouped, create_group},
    Operation{"MPI_Cart_create", Shape::cartesian, cart_create},
    Operation{"MPI_Cart_sub", Shape::sub_cartesian, cart_sub},
    Operation{"MPI_Graph_create", Shape::adjacent, dist_graph_create_adjacent},
    Operation{"MPI_Dist_graph_create", Shape::adjacent, dist_graph_create_adjacent},
    Operation{"MPI_Dist_graph_create_adjacent", Shape::adjacent, dist_graph_create_adjacent},
    Operation{"MPI_Comm_free", Shape::nothing, free_communicator},
    Operation{"MPI_Comm_disconnect", Shape::nothing, disconnect},
};

}  // namespace

std::span<const Operation> communicator_operations() noexcept { return operations; }

}  // namespace stressbench::replay
