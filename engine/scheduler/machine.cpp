#include "scheduler/machine.hpp"

#include <array>

#include "core/host.hpp"

namespace stressbench::scheduler {
namespace {

struct Identity {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int cores = 0;  // 0: unknown
};

// Host names and core counts of all nodes, sent by the first rank of each node. Empty except on rank 0 of `leaders`.
std::vector<Identity> gather_identities(const mpi::Group& leaders) {
  Identity mine;
  const std::string host = host_name();
  host.copy(mine.host.data(), mine.host.size() - 1);
  mine.cores = host::cores().value_or(0);
  std::vector<Identity> all(leaders.rank() == 0 ? static_cast<std::size_t>(leaders.size()) : 0);
  const int bytes = static_cast<int>(sizeof(Identity));
  mpi::check(MPI_Gather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, leaders.handle()), "MPI_Gather");
  return all;
}

void fill_table(Machine& machine, const std::vector<Identity>& identities) {
  machine.table.resize(identities.size());
  for (std::size_t i = 0; i < identities.size(); ++i) {
    machine.table[i].host = identities[i].host.data();
    if (identities[i].cores > 0) machine.table[i].cores = identities[i].cores;
  }
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const int node = machine.node_of_rank[static_cast<std::size_t>(rank)];
    machine.table[static_cast<std::size_t>(node)].ranks.push_back(rank);
  }
}

}  // namespace

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  mpi::check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

Machine discover(const mpi::Group& world, std::optional<int> ranks_per_node) {
  Machine machine;
  machine.ranks = world.size();
  machine.ranks_per_node = ranks_per_node;
  if (ranks_per_node && (*ranks_per_node < 1 || world.size() % *ranks_per_node != 0))
    throw UserMistake("--ranks-per-node: {} does not divide {} ranks", *ranks_per_node, world.size());
  const mpi::Group node =
      ranks_per_node ? world.split(world.rank() / *ranks_per_node, world.rank()) : world.split_shared();
  const mpi::Group leaders = world.split(node.rank() == 0 ? 0 : MPI_UNDEFINED, world.rank());
  std::array<int, 2> place{leaders ? leaders.rank() : 0, leaders ? leaders.size() : 0};
  mpi::check(MPI_Bcast(place.data(), 2, MPI_INT, 0, node.handle()), "MPI_Bcast");
  machine.my_node = place[0];
  machine.my_slot = node.rank();
  machine.nodes = place[1];
  const bool root = world.rank() == 0;
  if (root) machine.node_of_rank.resize(static_cast<std::size_t>(world.size()));
  mpi::check(MPI_Gather(&machine.my_node, 1, MPI_INT, machine.node_of_rank.data(), 1, MPI_INT, 0, world.handle()),
             "MPI_Gather");
  if (leaders) {
    const std::vector<Identity> identities = gather_identities(leaders);
    if (root) fill_table(machine, identities);
  }
  return machine;
}

}  // namespace stressbench::scheduler
