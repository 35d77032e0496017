// Progress of this process, for the watchdog that detects stalls.
#pragma once

#include <cstdint>

namespace stressbench::progress {

// Called when a round, a step or a long part of a motif begins. From one thread only.
void moved() noexcept;
// Number of calls so far. From any thread.
std::uint64_t moves() noexcept;

}  // namespace stressbench::progress
