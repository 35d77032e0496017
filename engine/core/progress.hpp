// Progress of this process, for the watchdog that detects stalls.
#pragma once

#include <cstdint>

namespace stressbench::progress {

// Called when a round, a step or a long part of a motif begins. Only one thread may call it.
void advance() noexcept;
// Number of calls of `moved` so far. Any thread may call it.
std::uint64_t counter() noexcept;

}  // namespace stressbench::progress
