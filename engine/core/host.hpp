// The host that a rank runs on. In a simulation, the simulated one.
#pragma once

#include <array>
#include <optional>

namespace stressbench::host {

std::optional<int> cores();
// Averages over 1, 5 and 15 minutes; none if the system does not report them.
std::optional<std::array<double, 3>> load_average();

}  // namespace stressbench::host
