// Access to the MPI library of the traced program. The tracer is loaded into every program of a launch, including those
// without MPI (the launcher, shells) and those that load MPI late (Python). It must therefore need no symbol of MPI
// when the program starts: functions are bound at their first call (-z lazy), and Open MPI's predefined handles, which
// are addresses, are looked up at their first use. MPICH's handles are numbers.
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

// Must be called before the first PMPI call. If the program loaded the MPI library with local visibility, makes it
// visible to the tracer. False if the tracer was built for another MPI library; the program must then not be traced.
bool make_visible() noexcept;

}  // namespace stressbench::trace::mpi_library
