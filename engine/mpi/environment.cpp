#include "mpi/environment.hpp"

namespace stressbench::mpi {

Environment::Environment(int& argc, char**& argv, Threads threads) {
  if (threads == Threads::multiple) {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  } else {  // some libraries lock around every call at a higher thread level
    check(MPI_Init(&argc, &argv), "MPI_Init");
  }
}

Environment::~Environment() { MPI_Finalize(); }

}  // namespace stressbench::mpi
