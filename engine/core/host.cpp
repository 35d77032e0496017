#include "core/host.hpp"

#include <unistd.h>

#include <cstdlib>

namespace stressbench::host {

std::optional<int> cores() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  if (count <= 0) return std::nullopt;
  return static_cast<int>(count);
}

std::optional<std::array<double, 3>> load_average() {
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) != 3) return std::nullopt;
  return load;
}

}  // namespace stressbench::host
