#include <cstdlib>

#include "mpi/environment.hpp"

namespace stressbench::mpi {

std::optional<int> launched_rank() noexcept {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "FLUX_TASK_RANK"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return std::nullopt;
}

}  // namespace stressbench::mpi
