// Memory of recordings. It is mapped from a file if possible, so that the recording of a killed rank can still be read.
// The file is removed when the rank's line was written.
#pragma once

#include <cstddef>

#include "recording.hpp"

namespace stressbench::trace::pool {

// Returns zeroed memory, or null if there is none. `ranks_on_host`: number of ranks on this host, each of which needs
// the same amount.
Recording* create(int rank, int thread, int ranks_on_host) noexcept;
void* anonymous_memory(std::size_t bytes) noexcept;
// Removes the file of the recording.
void remove(int rank, int thread) noexcept;

}  // namespace stressbench::trace::pool
