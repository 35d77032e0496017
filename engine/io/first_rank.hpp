// File operations of one rank on behalf of all: every rank throws what the first one threw.
#pragma once

#include <functional>
#include <string>

#include "mpi/group.hpp"

namespace stressbench::io {

// Collective. Calls `action` on the first rank. If that throws, every rank throws with the same message:
// ParameterMistake `parameter` for a UserMistake, otherwise MachineFault.
void on_first_rank(const mpi::Group& group, const std::string& parameter, const std::function<void()>& action);

}  // namespace stressbench::io
