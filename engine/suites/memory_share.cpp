#include "suites/memory_share.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace stressbench {
namespace {

std::int64_t of_node() {
  const std::int64_t bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  std::int64_t allowed = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> allowed;  // "max" (no limit) leaves 0
  return allowed > 0 ? std::min(bytes, allowed) : bytes;
}

}  // namespace

Bytes memory_per_rank(const mpi::Group& group) {
  const mpi::Group node = group.split_shared();
  std::int64_t share = of_node() / node.size();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT64_T, MPI_MIN, group.handle()), "MPI_Allreduce");
  return Bytes{share};
}

}  // namespace stressbench
