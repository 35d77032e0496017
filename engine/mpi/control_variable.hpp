// Control variables of the MPI tool information interface (MPI 3.1, section 14.3.6).
#pragma once

#include <optional>
#include <string>

namespace stressbench::mpi {

// Whether an integer or logical control variable of the library differs from 0; none if there is no such variable.
std::optional<bool> is_set(const std::string& control_variable);

}  // namespace stressbench::mpi
