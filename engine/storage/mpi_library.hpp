// What differs between MPI libraries in their MPI-IO.
#pragma once

#include <mpi.h>

namespace stressbench::storage {

#ifdef OPEN_MPI
inline constexpr bool open_mpi = true;
#else
inline constexpr bool open_mpi = false;
#endif

}  // namespace stressbench::storage
