#include <simgrid/actor.h>

#include <cstdlib>

#include "mpi/environment.hpp"

namespace stressbench::mpi {

// All ranks share one environment, so SMPI passes the rank as an actor property.
std::optional<int> launched_rank() noexcept {
  const char* value = sg_actor_get_property_value(sg_actor_self(), "rank");
  if (value == nullptr) return std::nullopt;
  return std::atoi(value);
}

}  // namespace stressbench::mpi
