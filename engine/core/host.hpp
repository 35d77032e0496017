// The host that a rank runs on. In a simulation, the simulated one.
#pragma once

#include <array>
#include <optional>

namespace stressbench::host {

std::optional<int> cores();
// Over 1, 5 and 15 minutes.
std::optional<std::array<double, 3>> load_average();

}  // namespace stressbench::host
