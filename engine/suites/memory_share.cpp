#include "suites/memory_share.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

namespace stressbench {
namespace {

std::int64_t own_memory_bytes() {
  const std::int64_t bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  std::int64_t limit = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> limit;  // "max" (no limit) leaves 0
  return limit > 0 ? std::min(bytes, limit) : bytes;
}

}  // namespace

Bytes memory_per_rank(const mpi::Group& group) {
  const mpi::Group node = group.split_shared();
  std::int64_t share = own_memory_bytes() / node.size();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT64_T, MPI_MIN, group.handle()), "MPI_Allreduce");
  return Bytes{share};
}

NodeMemory node_memory(const mpi::Group& group) {
  const mpi::Group node = group.split_shared();
  std::array<std::int64_t, 2> least{own_memory_bytes(), -std::int64_t{node.size()}};
  int nodes = node.rank() == 0 ? 1 : 0;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_INT64_T, MPI_MIN, group.handle()), "MPI_Allreduce");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPI_INT, MPI_SUM, group.handle()), "MPI_Allreduce");
  return {.memory = Bytes{least[0]}, .ranks = static_cast<int>(-least[1]), .nodes = nodes};
}

}  // namespace stressbench
