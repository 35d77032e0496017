#include "core/host.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

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

std::optional<Bytes> peak_memory() {
  constexpr std::string_view key = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return Bytes{std::atoll(line.c_str() + key.size()) * 1024};
  }
  return std::nullopt;
}

}  // namespace stressbench::host
