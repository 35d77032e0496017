// Lines of a trace file from the recordings of a rank (docs/trace-format.md). Needs no MPI, since the recordings of
// killed ranks are written in the same way.
#pragma once

#include <span>
#include <string>

#include "recording.hpp"

namespace stressbench::trace {

struct FileSummary {
  int ranks = 0;
  int hosts = -1;  // -1: unknown
};

// Each line ends with its checksum and a newline. `threads`: the recordings of one rank's threads, in order.
std::string header_line(const Header& header, FileSummary summary);
std::string rank_line(std::span<const Recording* const> threads, bool with_host);
std::string end_line(int ranks, bool complete);

}  // namespace stressbench::trace
