#include "scheduler/machine.hpp"

#include <array>
#include <numeric>
#include <string_view>

#include "core/host.hpp"

namespace stressbench::scheduler {
namespace {

// What rank 0 gathers from the first rank of each node.
struct NodeFacts {
  int cores = 0;  // 0: unknown
  int ranks = 0;
  int host_bytes = 0;
};

// The host names of all nodes, one after another, since most are far shorter than MPI_MAX_PROCESSOR_NAME. Empty except
// on rank 0 of `leaders`.
std::string gather_hosts(const mpi::Group& leaders, const std::string& host, const std::vector<NodeFacts>& facts) {
  std::vector<int> counts;
  for (const NodeFacts& node : facts) counts.push_back(node.host_bytes);
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::string names(counts.empty() ? 0 : static_cast<std::size_t>(offsets.back() + counts.back()), '\0');
  mpi::check(MPI_Gatherv(host.data(), static_cast<int>(host.size()), MPI_CHAR, names.data(), counts.data(),
                         offsets.data(), MPI_CHAR, 0, leaders.handle()),
             "MPI_Gatherv");
  return names;
}

// Collective over the first ranks of the nodes. Empty except on rank 0.
std::vector<Node> gather_nodes(const mpi::Group& leaders, int ranks) {
  const std::string host = host_name();
  const NodeFacts own{host::cores().value_or(0), ranks, static_cast<int>(host.size())};
  std::vector<NodeFacts> facts(leaders.rank() == 0 ? static_cast<std::size_t>(leaders.size()) : 0);
  const int bytes = static_cast<int>(sizeof(NodeFacts));
  mpi::check(MPI_Gather(&own, bytes, MPI_BYTE, facts.data(), bytes, MPI_BYTE, 0, leaders.handle()), "MPI_Gather");
  const std::string hosts = gather_hosts(leaders, host, facts);
  std::vector<Node> nodes;
  nodes.reserve(facts.size());
  std::string_view rest = hosts;
  for (const NodeFacts& node : facts) {
    const auto length = static_cast<std::size_t>(node.host_bytes);
    nodes.push_back(
        {std::string(rest.substr(0, length)), node.cores > 0 ? std::optional(node.cores) : std::nullopt, node.ranks});
    rest.remove_prefix(length);
  }
  return nodes;
}

void require_all_ranks(const workload::NodeSizes& sizes, int ranks) {
  if (!sizes.is_list && ranks % sizes.runs.front().ranks != 0)
    throw UserMistake("--ranks-per-node: {} does not divide {} ranks", sizes.spell(), ranks);
  if (sizes.is_list && sizes.ranks() != ranks)
    throw UserMistake("--ranks-per-node: {} makes {} ranks, this launch has {}", sizes.spell(), sizes.ranks(), ranks);
}

}  // namespace

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  mpi::check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

Machine discover(const mpi::Group& world, const std::optional<workload::NodeSizes>& sizes) {
  Machine machine;
  machine.ranks = world.size();
  machine.ranks_per_node = sizes;
  if (sizes) require_all_ranks(*sizes, world.size());
  const mpi::Group node = sizes ? world.split(sizes->node_of(world.rank()), world.rank()) : world.split_shared();
  const mpi::Group leaders = world.split(node.rank() == 0 ? 0 : MPI_UNDEFINED, world.rank());
  std::array<int, 2> place{leaders ? leaders.rank() : 0, leaders ? leaders.size() : 0};
  mpi::check(MPI_Bcast(place.data(), 2, MPI_INT, 0, node.handle()), "MPI_Bcast");
  machine.my_node = place[0];
  machine.my_slot = node.rank();
  machine.nodes = place[1];
  if (world.rank() == 0) machine.node_of_rank.resize(static_cast<std::size_t>(world.size()));
  mpi::check(MPI_Gather(&machine.my_node, 1, MPI_INT, machine.node_of_rank.data(), 1, MPI_INT, 0, world.handle()),
             "MPI_Gather");
  if (leaders) machine.table = gather_nodes(leaders, node.size());
  return machine;
}

RanksOfNodes::RanksOfNodes(const Machine& machine)
    : first_(machine.table.size() + 1, 0), ranks_(machine.node_of_rank.size()) {
  for (std::size_t node = 0; node < machine.table.size(); ++node)
    first_[node + 1] = first_[node] + static_cast<std::size_t>(machine.table[node].ranks);
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t rank = 0; rank < machine.node_of_rank.size(); ++rank)
    ranks_[next[static_cast<std::size_t>(machine.node_of_rank[rank])]++] = static_cast<int>(rank);
}

}  // namespace stressbench::scheduler
