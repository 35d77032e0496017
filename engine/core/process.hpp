// Processes on this host, told from those that have ended and from later ones that got their number.
#pragma once

#include <cstdint>
#include <optional>

namespace stressbench {

// When it began, in clock ticks since the host did. None where it does not run (a zombie has ended), and on systems
// without /proc.
std::optional<std::int64_t> start_of_process(std::int64_t pid);

// Whether the process runs that began at that time; where `start` or the system does not tell, whether one of that
// number does.
bool is_running(std::int64_t pid, std::optional<std::int64_t> start);

}  // namespace stressbench
