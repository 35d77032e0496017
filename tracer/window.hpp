// The part of the sequence of calls that is recorded, such as whole iterations of an application.
#pragma once

#include <cstdint>
#include <optional>

namespace stressbench::trace {

// Calls `first` to `end` - 1 of a rank, counted from 0 as in a capture: tests and probes without a result do not count.
// Recording begins when the call before `first` returns, so that the time until `first` is its gap.
struct Window {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// Collective over MPI_COMM_WORLD. The window of this rank: the line of its number in the file, which has lines
// `FIRST END`. Rank 0 reads the file, and prints what is wrong with it; all ranks then return null.
std::optional<Window> read_window(const char* path, int rank, int ranks);

}  // namespace stressbench::trace
