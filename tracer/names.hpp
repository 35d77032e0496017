// Names of predefined datatypes and reductions, in the order of their numbers in keys. No MPI.
#pragma once

namespace stressbench::trace {

inline constexpr const char* type_names[] = {
#define X(name) #name,
#include "types.inc"
#undef X
};
inline constexpr const char* reduction_names[] = {
#define X(name) #name,
#include "reductions.inc"
#undef X
};

}  // namespace stressbench::trace
