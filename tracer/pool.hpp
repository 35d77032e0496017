// Memory of a recording. It lies in a file where there is room for one, so that what a killed rank had can still be
// read; the file goes when the rank's line is written.
#pragma once

#include <cstddef>

#include "recording.hpp"

namespace stressbench::trace::pool {

// Zeroed. `here`: ranks on this host, which all want as much. Null when there is no memory at all.
Recording* make(int rank, int thread, int here) noexcept;
void* plain_memory(std::size_t bytes) noexcept;
// Removes the file.
void remove(int rank, int thread) noexcept;

}  // namespace stressbench::trace::pool
