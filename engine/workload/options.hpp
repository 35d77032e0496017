// A motif's options as words: from a [MOTIF] line of a workload file, or from the arguments of a command.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "workload/diagnostics.hpp"
#include "workload/model.hpp"
#include "workload/statement.hpp"

namespace stressbench::workload {

// Whether a word is an option: -x or --long. -5 and -.5 are values, and so is a quoted word or one that begins with a
// variable.
bool is_option(const Word& word);

// Appends the options and values in `words` to the call, and each mistake to the diagnostics. Names and values are
// checked later, by `check`.
void read_options(std::span<const Word> words, const std::function<Position(const Word&)>& position, MotifCall& call,
                  Diagnostics& diagnostics);

// A job named "motif" on one node with no motif yet, as the command `motif` runs it.
Job job_of_command();
// The call that `name` and the arguments of a command stand for. Messages show them as a line of "command line".
MotifCall call_of_command(const std::string& name, const std::vector<std::string>& arguments, Diagnostics& diagnostics);

}  // namespace stressbench::workload
