// Partitions of b_eff_io: ranks of the job that measure together, while the others sleep.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mpi/group.hpp"
#include "suites/b_eff_io/io_rule.hpp"
#include "suites/b_eff_io/partition_choice.hpp"

namespace stressbench::beff {

// The data of a pattern: where it begins in the shared file, the rank's own file or the rank's segment, and the number
// of calls by which a rank wrote it.
struct FileRegion {
  std::int64_t base = 0;
  std::int64_t calls = 0;
};

// A partition and its results.
struct Partition {
  int index = 0;
  std::string name;  // as in --partitions
  int ranks = 0;
  int nodes = 0;
  int root = 0;      // its first rank, as a rank of the job
  mpi::Group group;  // none on other ranks
  std::vector<FileRegion> region;
  std::vector<std::int64_t> written_calls;  // calls of all ranks, by pattern
  std::int64_t segment_bytes = 0;
  std::array<std::array<double, io_types>, 3> bytes_per_s{};  // by access and type; on its ranks and on rank 0
};

// Collective over the job. Partitions of `choices`, each with room for the results of `patterns` patterns. Throws
// UserMistake on every rank if a node that a choice needs has too few ranks, or if there are too few nodes.
std::vector<Partition> make_partitions(const mpi::Group& job, std::span<const PartitionChoice> choices,
                                       std::size_t patterns);

}  // namespace stressbench::beff
