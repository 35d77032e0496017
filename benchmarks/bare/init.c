// MPI_Init, one barrier, and a wait until standard input closes or the given seconds are over: what MPI itself costs in
// memory.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    puts("ready");
    fflush(stdout);
  }
  sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 5);
  MPI_Finalize();
  return 0;
}
