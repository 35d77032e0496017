#include "core/simulation.hpp"

#include <fmt/format.h>
#include <simgrid/engine.h>  // version.h is not self-contained
#include <simgrid/version.h>

#include <cstdlib>

#include "core/input_file.hpp"
#include "core/input_limits.hpp"

namespace stressbench {
namespace {

std::string description() {
  const char* path = std::getenv("STRESSBENCH_SIMULATION");
  if (path == nullptr) return {};
  return read_file(path, input_limits::max_simulation_bytes);
}

}  // namespace

std::optional<Simulation> simulation() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return Simulation{fmt::format("SimGrid {}.{}", major, minor), description()};
}

}  // namespace stressbench
