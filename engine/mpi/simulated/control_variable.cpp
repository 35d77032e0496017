#include "mpi/control_variable.hpp"

namespace stressbench::mpi {

// SMPI has no tool information interface.
std::optional<bool> is_set(const std::string&) { return std::nullopt; }

}  // namespace stressbench::mpi
