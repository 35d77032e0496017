// Collective calls. The nonblocking forms take the same arguments and a request.
#include <mpi.h>

#include <array>
#include <tuple>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

auto barrier(ReplayState& s, const Instruction& i) { return std::tuple(s.comm(i)); }
auto bcast(ReplayState& s, const Instruction& i) { return std::tuple(s.in(i), i.count, i.type, i.root, s.comm(i)); }
auto reduce(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), s.in(i), i.count, i.type, i.operation, i.root, s.comm(i));
}
// Also for Scan, Exscan and Reduce_scatter_block, whose count is the one that each rank receives.
auto allreduce(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), s.in(i), i.count, i.type, i.operation, s.comm(i));
}
auto reduce_scatter(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), s.in(i), i.get.counts, i.type, i.operation, s.comm(i));
}
auto gather(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), i.count, i.type, s.in(i), i.receive_count, i.type, i.root, s.comm(i));
}
// With MPI_IN_PLACE the root of a scatter leaves its own block in the send buffer.
auto scatter(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.count, i.type, i.in_place ? MPI_IN_PLACE : s.in(i), i.receive_count, i.type, i.root,
                    s.comm(i));
}
// Also for Alltoall.
auto allgather(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), i.count, i.type, s.in(i), i.receive_count, i.type, s.comm(i));
}
auto gatherv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), i.count, i.type, s.in(i), i.get.counts, i.get.offsets, i.type, i.root,
                    s.comm(i));
}
auto scatterv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.give.counts, i.give.offsets, i.type, i.in_place ? MPI_IN_PLACE : s.in(i),
                    i.receive_count, i.type, i.root, s.comm(i));
}
auto allgatherv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), i.count, i.type, s.in(i), i.get.counts, i.get.offsets, i.type, s.comm(i));
}
auto alltoallv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), i.give.counts, i.give.offsets, i.type, s.in(i), i.get.counts, i.get.offsets,
                    i.type, s.comm(i));
}
auto alltoallw(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out_or_in_place(i), i.give.counts, i.give.byte_offsets, i.give.types, s.in(i), i.get.counts,
                    i.get.byte_offsets, i.get.types, s.comm(i));
}
auto neighbour_alltoallw(ReplayState& s, const Instruction& i) {
  return std::tuple(s.out(i), i.give.counts, i.give.long_offsets, i.give.types, s.in(i), i.get.counts,
                    i.get.long_offsets, i.get.types, s.comm(i));
}

constexpr std::array operations{
    Operation{"MPI_Barrier", Shape::nothing, blocking<barrier, MPI_Barrier>},
    Operation{"MPI_Ibarrier", Shape::nothing, nonblocking<barrier, MPI_Ibarrier>},
    Operation{"MPI_Bcast", Shape::vector, blocking<bcast, MPI_Bcast>},
    Operation{"MPI_Ibcast", Shape::vector, nonblocking<bcast, MPI_Ibcast>},
    Operation{"MPI_Reduce", Shape::vector, blocking<reduce, MPI_Reduce>},
    Operation{"MPI_Ireduce", Shape::vector, nonblocking<reduce, MPI_Ireduce>},
    Operation{"MPI_Allreduce", Shape::vector, blocking<allreduce, MPI_Allreduce>},
    Operation{"MPI_Iallreduce", Shape::vector, nonblocking<allreduce, MPI_Iallreduce>},
    Operation{"MPI_Scan", Shape::vector, blocking<allreduce, MPI_Scan>},
    Operation{"MPI_Iscan", Shape::vector, nonblocking<allreduce, MPI_Iscan>},
    Operation{"MPI_Exscan", Shape::vector, blocking<allreduce, MPI_Exscan>},
    Operation{"MPI_Iexscan", Shape::vector, nonblocking<allreduce, MPI_Iexscan>},
    Operation{"MPI_Reduce_scatter_block", Shape::scatter_block, blocking<allreduce, MPI_Reduce_scatter_block>},
    Operation{"MPI_Ireduce_scatter_block", Shape::scatter_block, nonblocking<allreduce, MPI_Ireduce_scatter_block>},
    Operation{"MPI_Reduce_scatter", Shape::scatter_vector, blocking<reduce_scatter, MPI_Reduce_scatter>},
    Operation{"MPI_Ireduce_scatter", Shape::scatter_vector, nonblocking<reduce_scatter, MPI_Ireduce_scatter>},
    Operation{"MPI_Gather", Shape::gather, blocking<gather, MPI_Gather>},
    Operation{"MPI_Igather", Shape::gather, nonblocking<gather, MPI_Igather>},
    Operation{"MPI_Scatter", Shape::scatter, blocking<scatter, MPI_Scatter>},
    Operation{"MPI_Iscatter", Shape::scatter, nonblocking<scatter, MPI_Iscatter>},
    Operation{"MPI_Allgather", Shape::allgather, blocking<allgather, MPI_Allgather>},
    Operation{"MPI_Iallgather", Shape::allgather, nonblocking<allgather, MPI_Iallgather>},
    Operation{"MPI_Alltoall", Shape::alltoall, blocking<allgather, MPI_Alltoall>},
    Operation{"MPI_Ialltoall", Shape::alltoall, nonblocking<allgather, MPI_Ialltoall>},
    Operation{"MPI_Gatherv", Shape::gather_blocks, blocking<gatherv, MPI_Gatherv>},
    Operation{"MPI_Igatherv", Shape::gather_blocks, nonblocking<gatherv, MPI_Igatherv>},
    Operation{"MPI_Scatterv", Shape::scatter_blocks, blocking<scatterv, MPI_Scatterv>},
    Operation{"MPI_Iscatterv", Shape::scatter_blocks, nonblocking<scatterv, MPI_Iscatterv>},
    Operation{"MPI_Allgatherv", Shape::allgather_blocks, blocking<allgatherv, MPI_Allgatherv>},
    Operation{"MPI_Iallgatherv", Shape::allgather_blocks, nonblocking<allgatherv, MPI_Iallgatherv>},
    Operation{"MPI_Alltoallv", Shape::alltoall_blocks, blocking<alltoallv, MPI_Alltoallv>},
    Operation{"MPI_Ialltoallv", Shape::alltoall_blocks, nonblocking<alltoallv, MPI_Ialltoallv>},
    Operation{"MPI_Alltoallw", Shape::alltoall_blocks, blocking<alltoallw, MPI_Alltoallw>},
    Operation{"MPI_Ialltoallw", Shape::alltoall_blocks, nonblocking<alltoallw, MPI_Ialltoallw>},
};

constexpr std::array of_neighbours{
    Operation{"MPI_Neighbor_allgather", Shape::neighbour_allgather, blocking<allgather, MPI_Neighbor_allgather>},
    Operation{"MPI_Ineighbor_allgather", Shape::neighbour_allgather, nonblocking<allgather, MPI_Ineighbor_allgather>},
    Operation{"MPI_Neighbor_allgatherv", Shape::neighbour_allgather_blocks,
              blocking<allgatherv, MPI_Neighbor_allgatherv>},
    Operation{"MPI_Ineighbor_allgatherv", Shape::neighbour_allgather_blocks,
              nonblocking<allgatherv, MPI_Ineighbor_allgatherv>},
    Operation{"MPI_Neighbor_alltoall", Shape::neighbour_alltoall, blocking<allgather, MPI_Neighbor_alltoall>},
    Operation{"MPI_Ineighbor_alltoall", Shape::neighbour_alltoall, nonblocking<allgather, MPI_Ineighbor_alltoall>},
    Operation{"MPI_Neighbor_alltoallv", Shape::neighbour_alltoall_blocks, blocking<alltoallv, MPI_Neighbor_alltoallv>},
    Operation{"MPI_Ineighbor_alltoallv", Shape::neighbour_alltoall_blocks,
              nonblocking<alltoallv, MPI_Ineighbor_alltoallv>},
    Operation{"MPI_Neighbor_alltoallw", Shape::neighbour_alltoall_blocks,
              blocking<neighbour_alltoallw, MPI_Neighbor_alltoallw>},
    Operation{"MPI_Ineighbor_alltoallw", Shape::neighbour_alltoall_blocks,
              nonblocking<neighbour_alltoallw, MPI_Ineighbor_alltoallw>},
};

}  // namespace

std::span<const Operation> collective_operations() noexcept { return operations; }
std::span<const Operation> neighbour_operations() noexcept { return of_neighbours; }

}  // namespace stressbench::replay
