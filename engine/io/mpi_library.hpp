// Differences between the MPI-IO of MPI libraries.
#pragma once

#include <mpi.h>  // OPEN_MPI

#include <string>

namespace stressbench::io {

#ifdef OPEN_MPI
inline constexpr bool open_mpi = true;
#else
inline constexpr bool open_mpi = false;
#endif

// The message of an error code or, if the code is unknown in this process, of its class: MPICH also returns codes of
// other ranks.
std::string mpi_error_text(int code);

}  // namespace stressbench::io
