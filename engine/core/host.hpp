// The host that a rank runs on. In a simulation, the simulated one.
#pragma once

#include <array>
#include <optional>

#include "core/units.hpp"

namespace stressbench::host {

std::optional<int> cores();
// Averages over 1, 5 and 15 minutes; none if the system does not report them.
std::optional<std::array<double, 3>> load_average();
// The largest resident memory that this process has had (VmHWM); none if the system does not report it, and in a
// simulation, where all ranks are one process.
std::optional<Bytes> peak_memory();

}  // namespace stressbench::host
