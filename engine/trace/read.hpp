// Parsers for the lines of a trace file. All of them throw UserMistake with file and line.
#pragma once

#include <string>
#include <string_view>

#include "trace/line.hpp"
#include "trace/record.hpp"

namespace stressbench::trace {

inline constexpr int supported_version = 1;

// Parses the first line. Accepts trace files of the known version that hold call sequences.
Header read_header(const Position& position, std::string_view line);
// Parses the line of `rank` of a trace of `ranks` ranks, which must hold its whole call sequence.
RankRecord read_rank(const Position& position, std::string_view line, int rank, int ranks);

// Reads a file line by line: the header, which must be that of a trace of `ranks` ranks; the text of the line of each
// rank in order, or its record; and the lines after the last rank, an optional `symbols` line, then the `end` line.
Header read_header(Lines& lines, int ranks);
std::string rank_line(Lines& lines, int rank);
RankRecord read_rank(Lines& lines, int rank, int ranks);
void read_tail(Lines& lines, int ranks);

// Reads the header of the file and nothing else.
Header header_of(const std::string& path);

}  // namespace stressbench::trace
