#include "mpi_library.hpp"

#include <link.h>

#include <cstring>

#include "message.hpp"

namespace stressbench::trace::mpi_library {
namespace {

#if defined(OPEN_MPI)
constexpr bool built_for_open_mpi = true;
#else
constexpr bool built_for_open_mpi = false;
#endif

// Calls MPI_Get_library_version, which is allowed before MPI_Init. Its arguments are the same in all MPI libraries,
// unlike those of functions with handles.
bool is_open_mpi() noexcept {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING > 8192 ? MPI_MAX_LIBRARY_VERSION_STRING : 8192];
  int length = 0;
  PMPI_Get_library_version(version, &length);
  return std::strstr(version, "Open MPI") != nullptr;
}

int open_globally(dl_phdr_info* object, std::size_t, void*) {
  const char* slash = std::strrchr(object->dlpi_name, '/');
  const char* name = slash == nullptr ? object->dlpi_name : slash + 1;
  if (std::strncmp(name, "libmpi.", 7) != 0 && std::strncmp(name, "libmpich.", 9) != 0) return 0;
  dlopen(object->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  return 0;
}

}  // namespace

bool make_visible() noexcept {
  if (dlsym(RTLD_DEFAULT, "PMPI_Init") == nullptr) dl_iterate_phdr(open_globally, nullptr);
  if (is_open_mpi() == built_for_open_mpi) return true;
  print_message(built_for_open_mpi ? "stressbench: this tracer was built for Open MPI, and the program uses another "
                                     "MPI: it is not traced"
                                   : "stressbench: this tracer was built for MPICH, and the program uses Open MPI: it "
                                     "is not traced");
  return false;
}

}  // namespace stressbench::trace::mpi_library
