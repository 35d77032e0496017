// The MPI library is the traced program's own. This one is loaded into every program of a launch, also into those that
// have no MPI (the launcher, shells) and into those that load MPI late (Python), so nothing of it may be needed when
// the program starts: functions are bound at their first call
// (-z lazy), and Open MPI's predefined handles, which are addresses, are looked up when they are first used. MPICH's
// handles are numbers.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#pragma weak MPI_F_STATUS_IGNORE
#pragma weak MPI_F_STATUSES_IGNORE

#if defined(OPEN_MPI)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                     \
  ([]() noexcept {                                               \
    static void* const address = ::dlsym(RTLD_DEFAULT, #global); \
    return static_cast<type>(address);                           \
  }())
#endif

namespace stressbench::trace::mpi_library {

// Before the first call of PMPI: where a program loaded the MPI library for itself alone, makes it visible to us too.
// False when the program's library is not the one that this was built for; then nothing may be looked at.
bool reach() noexcept;

}  // namespace stressbench::trace::mpi_library
