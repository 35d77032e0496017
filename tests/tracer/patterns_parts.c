// A program that says which of its parts are to be looked at.
#include <mpi.h>

#include "patterns.h"

// Communicators made before the first part; computation at the end of each.
void parts(int iterations) {
  MPI_Comm half, same, other;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &same);
  MPI_Comm_dup(half, &other);
  for (int part = 0; part < 2; ++part) {
    MPI_Pcontrol(1);
    for (int i = 0; i < iterations; ++i) {
      int value = rank, sum = 0, size = 0;
      MPI_Comm_size(other, &size);
      MPI_Bcast(&value, 1, MPI_INT, size - 1, other);
      MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
      MPI_Barrier(same);
    }
    work(part == 0 ? 4000 : 3000);
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&other);
  MPI_Comm_free(&same);
  MPI_Comm_free(&half);
}
