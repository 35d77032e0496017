#include "mpi_library.hpp"

#include <link.h>

#include <cstdio>
#include <cstring>

namespace stressbench::trace::mpi_library {
namespace {

// A symbol that only this library's kind has, and one of the other kind.
#if defined(OPEN_MPI)
constexpr const char* own_mark = "ompi_mpi_comm_world";
constexpr const char* own_name = "Open MPI";
constexpr const char* other_name = "MPICH or one of its kind";
#else
constexpr const char* own_mark = "MPIR_F_MPI_IN_PLACE";
constexpr const char* own_name = "MPICH";
constexpr const char* other_name = "Open MPI or another one";
#endif

int make_visible(dl_phdr_info* object, std::size_t, void*) {
  const char* slash = std::strrchr(object->dlpi_name, '/');
  const char* name = slash == nullptr ? object->dlpi_name : slash + 1;
  if (std::strncmp(name, "libmpi.", 7) != 0 && std::strncmp(name, "libmpich.", 9) != 0) return 0;
  dlopen(object->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  return 0;
}

}  // namespace

bool reach() noexcept {
  if (dlsym(RTLD_DEFAULT, "PMPI_Init") == nullptr) dl_iterate_phdr(make_visible, nullptr);
  if (dlsym(RTLD_DEFAULT, own_mark) != nullptr) return true;
  std::fprintf(stderr, "stressbench: this tracer was built for %s, and the program uses %s: it is not traced\n",
               own_name, other_name);
  return false;
}

}  // namespace stressbench::trace::mpi_library
