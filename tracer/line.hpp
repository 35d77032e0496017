// A rank's recordings as a line of a trace file (docs/trace-format.md). Needs no MPI, since recordings of killed ranks
// are written in the same way.
#pragma once

#include <span>
#include <string>

#include "recording.hpp"

namespace stressbench::trace {

struct FileSummary {
  int ranks = 0;
  int hosts = -1;  // -1: unknown
};

// Each ends in its checksum and a newline. `threads`: the recordings of one rank's threads, the first one first.
std::string header_line(const Header& header, FileSummary summary);
std::string rank_line(std::span<const Recording* const> threads, bool with_host);
std::string end_line(int ranks, bool complete);

}  // namespace stressbench::trace
