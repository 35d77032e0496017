// Parsing of a motif's options from words: of a [MOTIF] line in a workload file, or arguments of a command.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "workload/diagnostics.hpp"
#include "workload/model.hpp"
#include "workload/statement.hpp"

namespace stressbench::workload {

// Whether a word is an option: -x or --long. -5 and -.5 are values, as are quoted words and words that begin with a
// variable.
bool is_option(const Word& word);

// Appends the options and values in `words` to the call, and each mistake to the diagnostics. Names and values are
// checked later, by `check`.
void read_options(std::span<const Word> words, const std::function<Position(const Word&)>& position, MotifCall& call,
                  Diagnostics& diagnostics);

// The job that the command `motif` runs: named "motif", on one node, still without motifs.
Job job_of_command();
// Builds the call from `name` and the arguments of a command. Messages show them as a line of the file "command line".
MotifCall call_of_command(const std::string& name, const std::vector<std::string>& arguments, Diagnostics& diagnostics);

}  // namespace stressbench::workload
