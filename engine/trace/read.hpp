// From a line of a trace file to values. All of these throw UserMistake that names file and line.
#pragma once

#include <string>
#include <string_view>

#include "trace/line.hpp"
#include "trace/record.hpp"

namespace stressbench::trace {

inline constexpr int known_version = 1;

// The first line: a trace file of a version that is known, with a sequence.
Header read_header(const Place& place, std::string_view line);
// A `rank` line, which must be that rank's and hold its whole sequence.
RankRecord read_rank(const Place& place, std::string_view line, int rank);
// What follows the last rank's line: optionally symbols, then the end.
void read_tail(Lines& lines, int ranks);

// The header alone, of the file of that name.
Header header_of(const std::string& path);

}  // namespace stressbench::trace
