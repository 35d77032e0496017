// MPI's predefined datatypes and reductions, looked up by their names in a trace.
#pragma once

#include <mpi.h>

#include <optional>
#include <string_view>

namespace stressbench::replay {

// None if this MPI library has no type of that name.
std::optional<MPI_Datatype> datatype_of(std::string_view name);
// None for user-defined reductions.
std::optional<MPI_Op> reduction_of(std::string_view name);

}  // namespace stressbench::replay
