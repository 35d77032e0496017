// What one rank finds out about a file, told to all: each throws what the first one threw.
#pragma once

#include <functional>
#include <string>

#include "mpi/group.hpp"

namespace stressbench::io {

// Collective. `look` runs on the first rank; where it throws, every rank throws: ParameterMistake `parameter` for a
// UserMistake, else MachineFault, with its words.
void on_first_rank(const mpi::Group& group, const std::string& parameter, const std::function<void()>& look);

}  // namespace stressbench::io
