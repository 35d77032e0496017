#include "motifs/collective/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/grid.hpp"

namespace stressbench {
namespace {

using Coordinates = std::array<int, 3>;  // unused dimensions: 0

Coordinates coordinates_of(int rank, const std::vector<int>& sides) {
  Coordinates coordinates{};
  for (std::size_t d = sides.size(); d-- > 0; rank /= sides[d]) coordinates[d] = rank % sides[d];
  return coordinates;
}

// Ranks are numbered as in MPI_Cart_create: the last dimension varies fastest.
int rank_at(Coordinates coordinates, const std::vector<int>& sides, bool periodic) {
  int rank = 0;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    if (periodic) coordinates[d] = (coordinates[d] + sides[d]) % sides[d];
    if (coordinates[d] < 0 || coordinates[d] >= sides[d]) return MPI_PROC_NULL;
    rank = rank * sides[d] + coordinates[d];
  }
  return rank;
}

}  // namespace

std::vector<int> balanced_sides(int ranks, int dimensions) {
  if (dimensions == 1) return {ranks};
  int shortest = 1;
  if (dimensions == 3) {
    for (std::int64_t side = 2; side * side * side <= ranks; ++side) {
      if (ranks % side == 0) shortest = static_cast<int>(side);
    }
  }
  std::vector<int> sides = balanced_dims(ranks / shortest, 2);
  if (dimensions == 3) sides.push_back(shortest);
  std::ranges::sort(sides, std::greater{});
  return sides;
}

Neighbourhood::Neighbourhood(ParameterSet* owner)
    : topology_(owner, "topology", Topology::cartesian,
                "cartesian: MPI_Cart_create, two neighbours per dimension; ring, nearest (--reach on either side) and "
                "box (all adjacent, 26 in 3 dimensions): MPI_Dist_graph_create_adjacent"),
      dimensions_(owner, "dimensions", 3, "dimensions of a cartesian grid or a box", Positive{}, AtMost{3}),
      periodic_(owner, "periodic", "periodic boundaries of a cartesian grid or a box"),
      reach_(owner, "reach", 2, "neighbours on either side, with nearest", Positive{}, AtMost{1 << 20}) {}

void Neighbourhood::check(int ranks) const {
  const auto requires_topology = [this](const Parameter& parameter, std::string_view topologies) {
    return ParameterMistake(parameter.name(), fmt::format("--{}: requires --topology {}, not {}", parameter.name(),
                                                          topologies, topology_.text()));
  };
  if (!is_grid() && dimensions_.was_given()) throw requires_topology(dimensions_, "cartesian or box");
  if (!is_grid() && *periodic_) throw requires_topology(periodic_, "cartesian or box");
  if (*topology_ != Topology::nearest && reach_.was_given()) throw requires_topology(reach_, "nearest");
  // On a periodic grid a single rank is its own neighbour.
  const bool one_rank_is_enough = *topology_ == Topology::cartesian && *periodic_;
  if (ranks < 2 && !one_rank_is_enough) reject("", "neighbours need 2 ranks or more, but the job has {}", ranks);
}

std::vector<int> Neighbourhood::neighbours_of(int rank, int ranks) const {
  if (*topology_ == Topology::cartesian) return cartesian_neighbours(rank, ranks);
  std::vector<int> distinct;
  for (const int neighbour : graph_neighbours(rank, ranks)) {
    const bool listed = std::ranges::find(distinct, neighbour) != distinct.end();
    if (neighbour != MPI_PROC_NULL && neighbour != rank && !listed) distinct.push_back(neighbour);
  }
  return distinct;
}

int Neighbourhood::max_blocks(int ranks) const {
  switch (*topology_) {
    case Topology::cartesian:
      return static_cast<int>(2 * *dimensions_);
    case Topology::ring:
      return 2;
    case Topology::nearest:
      return static_cast<int>(std::min<std::int64_t>(2 * *reach_, ranks - 1));
    case Topology::box:
      return 26;
  }
  return 0;
}

std::vector<int> Neighbourhood::cartesian_neighbours(int rank, int ranks) const {
  const auto sides = balanced_sides(ranks, static_cast<int>(*dimensions_));
  const Coordinates own_coordinates = coordinates_of(rank, sides);
  std::vector<int> neighbours;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    for (const int step : {-1, 1}) {
      Coordinates coordinates = own_coordinates;
      coordinates[d] += step;
      neighbours.push_back(rank_at(coordinates, sides, *periodic_));
    }
  }
  return neighbours;
}

std::vector<int> Neighbourhood::graph_neighbours(int rank, int ranks) const {
  std::vector<int> neighbours;
  if (*topology_ == Topology::box) {
    const auto sides = balanced_sides(ranks, static_cast<int>(*dimensions_));
    const Coordinates own_coordinates = coordinates_of(rank, sides);
    const int z_reach = sides.size() > 2 ? 1 : 0;
    const int y_reach = sides.size() > 1 ? 1 : 0;
    for (int x = -1; x <= 1; ++x) {
      for (int y = -y_reach; y <= y_reach; ++y) {
        for (int z = -z_reach; z <= z_reach; ++z) {
          neighbours.push_back(
              rank_at({own_coordinates[0] + x, own_coordinates[1] + y, own_coordinates[2] + z}, sides, *periodic_));
        }
      }
    }
    return neighbours;
  }
  const auto reach = *topology_ == Topology::ring ? 1 : static_cast<int>(std::min<std::int64_t>(*reach_, ranks));
  for (int step = 1; step <= reach; ++step) {
    neighbours.push_back((rank - step % ranks + ranks) % ranks);
    neighbours.push_back(static_cast<int>((static_cast<std::int64_t>(rank) + step) % ranks));
  }
  return neighbours;
}

mpi::Group Neighbourhood::create_communicator(const mpi::Group& group) const {
  MPI_Comm communicator = MPI_COMM_NULL;
  if (*topology_ == Topology::cartesian) {
    const auto sides = balanced_sides(group.size(), static_cast<int>(*dimensions_));
    const std::vector<int> periods(sides.size(), *periodic_ ? 1 : 0);
    mpi::check(
        MPI_Cart_create(group.handle(), static_cast<int>(sides.size()), sides.data(), periods.data(), 0, &communicator),
        "MPI_Cart_create");
  } else {
    const auto neighbours = neighbours_of(group.rank(), group.size());
    const auto count = static_cast<int>(neighbours.size());
    mpi::check(MPI_Dist_graph_create_adjacent(group.handle(), count, neighbours.data(), MPI_UNWEIGHTED, count,
                                              neighbours.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &communicator),
               "MPI_Dist_graph_create_adjacent");
  }
  return mpi::Group::adopt(communicator);
}

}  // namespace stressbench
