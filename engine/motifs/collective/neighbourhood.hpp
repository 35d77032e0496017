// Neighbours of each rank in a neighbourhood collective: a Cartesian grid, or a graph.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameter.hpp"
#include "mpi/group.hpp"

namespace stressbench {

enum class Topology { cartesian, ring, nearest, box };

class Neighbourhood {
 public:
  explicit Neighbourhood(ParameterSet* owner);

  void check(int ranks) const;
  // The neighbours in the order of a call's blocks. MPI_PROC_NULL beyond the edge of a Cartesian grid; in a graph, each
  // neighbour once.
  std::vector<int> neighbours_of(int rank, int ranks) const;
  // The maximum number of blocks in a call.
  int max_blocks(int ranks) const;
  // Creates the communicator with this topology. Collective over the group.
  mpi::Group create_communicator(const mpi::Group& group) const;

 private:
  bool is_grid() const noexcept { return *topology_ == Topology::cartesian || *topology_ == Topology::box; }
  std::vector<int> cartesian_neighbours(int rank, int ranks) const;
  // With duplicates and `rank` itself.
  std::vector<int> graph_neighbours(int rank, int ranks) const;

  Param<Topology> topology_;
  Param<std::int64_t> dimensions_;
  Param<bool> periodic_;
  Param<std::int64_t> reach_;
};

// Ranks along each of 1 to 3 dimensions, as equal as possible, in descending order, as the standard demands of
// MPI_Dims_create.
std::vector<int> balanced_sides(int ranks, int dimensions);

}  // namespace stressbench
