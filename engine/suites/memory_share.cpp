#include "suites/memory_share.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace stressbench {
namespace {

std::int64_t node_memory_bytes() {
  const std::int64_t bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  std::int64_t limit = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> limit;  // "max" (no limit) leaves 0
  return limit > 0 ? std::min(bytes, limit) : bytes;
}

}  // namespace

Bytes memory_per_rank(const mpi::Group& group) {
  const mpi::Group node = group.split_shared();
  std::int64_t share = node_memory_bytes() / node.size();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT64_T, MPI_MIN, group.handle()), "MPI_Allreduce");
  return Bytes{share};
}

}  // namespace stressbench
