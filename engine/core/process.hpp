// Whether a process of this host still runs, as opposed to a later process with the same PID.
#pragma once

#include <cstdint>
#include <optional>

namespace stressbench {

// Start time of the process in clock ticks since the host booted. None if it does not run (a zombie does not), and on
// systems without /proc.
std::optional<std::int64_t> start_of_process(std::int64_t pid);

// Whether the process with this PID and start time runs. Without `start`, or without /proc, any process with this PID
// counts.
bool is_running(std::int64_t pid, std::optional<std::int64_t> start);

}  // namespace stressbench
