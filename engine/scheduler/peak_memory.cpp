#include "scheduler/peak_memory.hpp"

#include <array>

#include "core/host.hpp"
#include "core/simulation.hpp"

namespace stressbench::scheduler {

std::optional<PeakMemory> reduce_peak_memory(const mpi::Group& world) {
  if (simulation()) return std::nullopt;  // its ranks are one process, and reductions would take simulated time
  struct Located {
    double value;
    int rank;
  };
  const auto own = static_cast<double>(host::peak_memory().value_or(Bytes{0}).value);
  const std::array<Located, 2> extremes{Located{own, world.rank()}, Located{-own, world.rank()}};
  std::array<Located, 2> largest{};  // of the memory, and of its negative
  double sum = 0;
  mpi::check(MPI_Reduce(extremes.data(), largest.data(), 2, MPI_DOUBLE_INT, MPI_MAXLOC, 0, world.handle()),
             "MPI_Reduce");
  mpi::check(MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, world.handle()), "MPI_Reduce");
  const double smallest = -largest[1].value;
  if (world.rank() != 0 || smallest == 0) return std::nullopt;
  return PeakMemory{static_cast<std::int64_t>(own), static_cast<std::int64_t>(smallest), sum / world.size(),
                    static_cast<std::int64_t>(largest[0].value), largest[0].rank};
}

}  // namespace stressbench::scheduler
