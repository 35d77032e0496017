#include "suites/b_eff_io/partition.hpp"

#include <mpi.h>

#include <limits>

namespace stressbench::beff {
namespace {

// Where a rank is, with nodes counted in the order of their first ranks.
struct Position {
  int node = 0;
  int rank_on_node = 0;
};

Position position_in(const mpi::Group& job) {
  const mpi::Group node = job.split_shared();
  const mpi::Group first_ranks = job.split(node.rank() == 0 ? 0 : MPI_UNDEFINED, job.rank());
  int number = first_ranks ? first_ranks.rank() : 0;
  mpi::check(MPI_Bcast(&number, 1, MPI_INT, 0, node.handle()), "MPI_Bcast");
  return {number, node.rank()};
}

Partition make_partition(const mpi::Group& job, const Position& position, const PartitionChoice& choice) {
  Partition partition;
  partition.name = Spelling<PartitionChoice>::write(choice);
  const bool member = choice.contains(job.rank(), position.node, position.rank_on_node);
  partition.group = job.split(member ? 0 : MPI_UNDEFINED, job.rank());
  const bool first_on_node = member && partition.group.split_shared().rank() == 0;
  std::array<int, 2> ranks_and_nodes{member ? 1 : 0, first_on_node ? 1 : 0};
  int root = member ? job.rank() : std::numeric_limits<int>::max();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, ranks_and_nodes.data(), 2, MPI_INT, MPI_SUM, job.handle()), "MPI_Allreduce");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MIN, job.handle()), "MPI_Allreduce");
  partition.ranks = ranks_and_nodes[0];
  partition.nodes = ranks_and_nodes[1];
  partition.root = root;
  if (partition.ranks != choice.size())
    throw UserMistake(
        "--partitions {}: the job has fewer than {} nodes, or one of these has fewer than {} of its ranks",
        partition.name, choice.nodes, choice.ranks_per_node);
  return partition;
}

}  // namespace

std::vector<Partition> make_partitions(const mpi::Group& job, std::span<const PartitionChoice> choices,
                                       std::size_t patterns) {
  const Position position = position_in(job);
  std::vector<Partition> partitions;
  for (const PartitionChoice& choice : choices) {
    Partition& partition = partitions.emplace_back(make_partition(job, position, choice));
    partition.index = static_cast<int>(partitions.size()) - 1;
    partition.region.resize(patterns);
    partition.written_calls.resize(patterns);
  }
  return partitions;
}

}  // namespace stressbench::beff
