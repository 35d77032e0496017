#include "object_counter.hpp"

namespace stressbench::trace {

bool is_parent(MPI_Comm comm) noexcept {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return comm == parent;
}

Envelope envelope_of(MPI_Datatype type) noexcept {
  int combiner = MPI_UNDEFINED;
#if MPI_VERSION >= 4
  MPI_Count sizes[4] = {};  // required for datatypes with large counts
  PMPI_Type_get_envelope_c(type, &sizes[0], &sizes[1], &sizes[2], &sizes[3], &combiner);
  const std::int64_t types = sizes[3];
#else
  int sizes[3] = {};
  PMPI_Type_get_envelope(type, &sizes[0], &sizes[1], &sizes[2], &combiner);
  const std::int64_t types = sizes[2];
#endif
  return {types, combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
                     combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX};
}

}  // namespace stressbench::trace
