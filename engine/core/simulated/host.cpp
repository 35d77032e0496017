#include "core/host.hpp"

#include <simgrid/host.h>

namespace stressbench::host {

std::optional<int> cores() { return sg_host_core_count(sg_host_self()); }

std::optional<std::array<double, 3>> load_average() { return std::nullopt; }

std::optional<Bytes> peak_memory() { return std::nullopt; }

}  // namespace stressbench::host
