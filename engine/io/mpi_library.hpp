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

// A code's own words where they are known here; its class's where the code is another rank's, as MPICH hands it out.
std::string mpi_words(int code);

}  // namespace stressbench::io
