#include <cstdlib>

#include "mpi/environment.hpp"

namespace stressbench::mpi {

void abort(const Group& group, int status) {
  MPI_Abort(group.handle(), status);
  std::_Exit(status);
}

}  // namespace stressbench::mpi
