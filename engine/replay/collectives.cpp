// Collective calls. The nonblocking forms take the same arguments and a request.
#include <mpi.h>

#include <array>
#include <tuple>

#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

auto barrier(ReplayState& s, const Instruction& i) { return std::tuple(s.comm(i)); }
auto bcast(ReplayState& s, const Instruction& i) {
  return std::tuple(s.receive_buffer(i), i.count, i.type, i.root, s.comm(i));
}
auto reduce(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), s.receive_buffer(i), i.count, i.type, i.operation, i.root, s.comm(i));
}
// Also for Scan, Exscan and Reduce_scatter_block, whose count is the one that each rank receives.
auto allreduce(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), s.receive_buffer(i), i.count, i.type, i.operation, s.comm(i));
}
auto reduce_scatter(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), s.receive_buffer(i), i.receive_blocks.counts, i.type, i.operation,
                    s.comm(i));
}
auto gather(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), i.count, i.type, s.receive_buffer(i), i.receive_count, i.type, i.root,
                    s.comm(i));
}
// With MPI_IN_PLACE the root of a scatter leaves its own block in the send buffer.
auto scatter(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.count, i.type, i.in_place ? MPI_IN_PLACE : s.receive_buffer(i), i.receive_count,
                    i.type, i.root, s.comm(i));
}
// Also for Alltoall.
auto allgather(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), i.count, i.type, s.receive_buffer(i), i.receive_count, i.type,
                    s.comm(i));
}
auto gatherv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), i.count, i.type, s.receive_buffer(i), i.receive_blocks.counts,
                    i.receive_blocks.offsets, i.type, i.root, s.comm(i));
}
auto scatterv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.send_blocks.counts, i.send_blocks.offsets, i.type,
                    i.in_place ? MPI_IN_PLACE : s.receive_buffer(i), i.receive_count, i.type, i.root, s.comm(i));
}
auto allgatherv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), i.count, i.type, s.receive_buffer(i), i.receive_blocks.counts,
                    i.receive_blocks.offsets, i.type, s.comm(i));
}
auto alltoallv(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), i.send_blocks.counts, i.send_blocks.offsets, i.type,
                    s.receive_buffer(i), i.receive_blocks.counts, i.receive_blocks.offsets, i.type, s.comm(i));
}
auto alltoallw(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer_or_in_place(i), i.send_blocks.counts, i.send_blocks.byte_offsets, i.send_blocks.types,
                    s.receive_buffer(i), i.receive_blocks.counts, i.receive_blocks.byte_offsets, i.receive_blocks.types,
                    s.comm(i));
}
auto neighbour_alltoallw(ReplayState& s, const Instruction& i) {
  return std::tuple(s.send_buffer(i), i.send_blocks.counts, i.send_blocks.long_offsets, i.send_blocks.types,
                    s.receive_buffer(i), i.receive_blocks.counts, i.receive_blocks.long_offsets, i.receive_blocks.types,
                    s.comm(i));
}

constexpr std::array operations{
    Operation{"MPI_Barrier", ArgumentKind::nothing, blocking<barrier, MPI_Barrier>},
    Operation{"MPI_Ibarrier", ArgumentKind::nothing, nonblocking<barrier, MPI_Ibarrier>},
    Operation{"MPI_Bcast", ArgumentKind::vector, blocking<bcast, MPI_Bcast>},
    Operation{"MPI_Ibcast", ArgumentKind::vector, nonblocking<bcast, MPI_Ibcast>},
    Operation{"MPI_Reduce", ArgumentKind::vector, blocking<reduce, MPI_Reduce>},
    Operation{"MPI_Ireduce", ArgumentKind::vector, nonblocking<reduce, MPI_Ireduce>},
    Operation{"MPI_Allreduce", ArgumentKind::vector, blocking<allreduce, MPI_Allreduce>},
    Operation{"MPI_Iallreduce", ArgumentKind::vector, nonblocking<allreduce, MPI_Iallreduce>},
    Operation{"MPI_Scan", ArgumentKind::vector, blocking<allreduce, MPI_Scan>},
    Operation{"MPI_Iscan", ArgumentKind::vector, nonblocking<allreduce, MPI_Iscan>},
    Operation{"MPI_Exscan", ArgumentKind::vector, blocking<allreduce, MPI_Exscan>},
    Operation{"MPI_Iexscan", ArgumentKind::vector, nonblocking<allreduce, MPI_Iexscan>},
    Operation{"MPI_Reduce_scatter_block", ArgumentKind::scatter_block, blocking<allreduce, MPI_Reduce_scatter_block>},
    Operation{"MPI_Ireduce_scatter_block", ArgumentKind::scatter_block,
              nonblocking<allreduce, MPI_Ireduce_scatter_block>},
    Operation{"MPI_Reduce_scatter", ArgumentKind::scatter_vector, blocking<reduce_scatter, MPI_Reduce_scatter>},
    Operation{"MPI_Ireduce_scatter", ArgumentKind::scatter_vector, nonblocking<reduce_scatter, MPI_Ireduce_scatter>},
    Operation{"MPI_Gather", ArgumentKind::gather, blocking<gather, MPI_Gather>},
    Operation{"MPI_Igather", ArgumentKind::gather, nonblocking<gather, MPI_Igather>},
    Operation{"MPI_Scatter", ArgumentKind::scatter, blocking<scatter, MPI_Scatter>},
    Operation{"MPI_Iscatter", ArgumentKind::scatter, nonblocking<scatter, MPI_Iscatter>},
    Operation{"MPI_Allgather", ArgumentKind::allgather, blocking<allgather, MPI_Allgather>},
    Operation{"MPI_Iallgather", ArgumentKind::allgather, nonblocking<allgather, MPI_Iallgather>},
    Operation{"MPI_Alltoall", ArgumentKind::alltoall, blocking<allgather, MPI_Alltoall>},
    Operation{"MPI_Ialltoall", ArgumentKind::alltoall, nonblocking<allgather, MPI_Ialltoall>},
    Operation{"MPI_Gatherv", ArgumentKind::gather_blocks, blocking<gatherv, MPI_Gatherv>},
    Operation{"MPI_Igatherv", ArgumentKind::gather_blocks, nonblocking<gatherv, MPI_Igatherv>},
    Operation{"MPI_Scatterv", ArgumentKind::scatter_blocks, blocking<scatterv, MPI_Scatterv>},
    Operation{"MPI_Iscatterv", ArgumentKind::scatter_blocks, nonblocking<scatterv, MPI_Iscatterv>},
    Operation{"MPI_Allgatherv", ArgumentKind::allgather_blocks, blocking<allgatherv, MPI_Allgatherv>},
    Operation{"MPI_Iallgatherv", ArgumentKind::allgather_blocks, nonblocking<allgatherv, MPI_Iallgatherv>},
    Operation{"MPI_Alltoallv", ArgumentKind::alltoall_blocks, blocking<alltoallv, MPI_Alltoallv>},
    Operation{"MPI_Ialltoallv", ArgumentKind::alltoall_blocks, nonblocking<alltoallv, MPI_Ialltoallv>},
    Operation{"MPI_Alltoallw", ArgumentKind::alltoall_blocks, blocking<alltoallw, MPI_Alltoallw>},
    Operation{"MPI_Ialltoallw", ArgumentKind::alltoall_blocks, nonblocking<alltoallw, MPI_Ialltoallw>},
};

constexpr std::array neighbour_table{
    Operation{"MPI_Neighbor_allgather", ArgumentKind::neighbour_allgather, blocking<allgather, MPI_Neighbor_allgather>},
    Operation{"MPI_Ineighbor_allgather", ArgumentKind::neighbour_allgather,
              nonblocking<allgather, MPI_Ineighbor_allgather>},
    Operation{"MPI_Neighbor_allgatherv", ArgumentKind::neighbour_allgather_blocks,
              blocking<allgatherv, MPI_Neighbor_allgatherv>},
    Operation{"MPI_Ineighbor_allgatherv", ArgumentKind::neighbour_allgather_blocks,
              nonblocking<allgatherv, MPI_Ineighbor_allgatherv>},
    Operation{"MPI_Neighbor_alltoall", ArgumentKind::neighbour_alltoall, blocking<allgather, MPI_Neighbor_alltoall>},
    Operation{"MPI_Ineighbor_alltoall", ArgumentKind::neighbour_alltoall,
              nonblocking<allgather, MPI_Ineighbor_alltoall>},
    Operation{"MPI_Neighbor_alltoallv", ArgumentKind::neighbour_alltoall_blocks,
              blocking<alltoallv, MPI_Neighbor_alltoallv>},
    Operation{"MPI_Ineighbor_alltoallv", ArgumentKind::neighbour_alltoall_blocks,
              nonblocking<alltoallv, MPI_Ineighbor_alltoallv>},
    Operation{"MPI_Neighbor_alltoallw", ArgumentKind::neighbour_alltoall_blocks,
              blocking<neighbour_alltoallw, MPI_Neighbor_alltoallw>},
    Operation{"MPI_Ineighbor_alltoallw", ArgumentKind::neighbour_alltoall_blocks,
              nonblocking<neighbour_alltoallw, MPI_Ineighbor_alltoallw>},
};

}  // namespace

std::span<const Operation> collective_operations() noexcept { return operations; }
std::span<const Operation> neighbour_operations() noexcept { return neighbour_table; }

}  // namespace stressbench::replay
