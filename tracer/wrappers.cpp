// The MPI functions that the tracer defines, generated from functions.txt.
#include <cstddef>

#include "call.hpp"
#include "mpi_library.hpp"

#if !defined(OPEN_MPI)
#pragma weak MPIR_F08_MPI_IN_PLACE
#endif

#define SITE __builtin_return_address(0)

extern "C" {
// Fortran's MPI_IN_PLACE: the address of a common block in Open MPI, and a variable that holds an address in MPICH.
extern char mpi_fortran_in_place_ __attribute__((weak));
extern void* MPIR_F_MPI_IN_PLACE __attribute__((weak));
}

namespace stressbench::trace {
namespace {

using Ranges = int (*)[3];

bool c_in_place(const void* address) noexcept { return address == MPI_IN_PLACE; }
bool fortran_in_place(const void* address) noexcept {
  return (&mpi_fortran_in_place_ != nullptr && address == &mpi_fortran_in_place_) ||
         (&MPIR_F_MPI_IN_PLACE != nullptr && address == MPIR_F_MPI_IN_PLACE);
}
#if !defined(OPEN_MPI)
// For buffers of MPICH's module mpi_f08, which passes a descriptor that begins with the address.
bool descriptor_in_place(const void* descriptor) noexcept {
  const void* in_place = &MPIR_F08_MPI_IN_PLACE;
  return in_place != nullptr && *static_cast<const void* const*>(descriptor) == in_place;
}
#endif

}  // namespace

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may call deprecated functions
extern "C" {
#include "wrappers_c.inc"
#if MPI_VERSION >= 4
#include "wrappers_mpi4.inc"
#endif
#include "wrappers_fortran.inc"
#if defined(OPEN_MPI)
#include "wrappers_fortran2008_openmpi.inc"
#else
#include "wrappers_fortran2008_mpich.inc"
#endif
}
#pragma GCC visibility pop

}  // namespace stressbench::trace
