// Calls whose counts are MPI_Count (MPI 4.0); with an older MPI the same calls without.
#include <mpi.h>

#include "patterns.h"

#if MPI_VERSION >= 4
#define LARGE(name) name##_c
typedef MPI_Count count_type;
typedef MPI_Aint place_type;
#else
#define LARGE(name) name
typedef int count_type;
typedef int place_type;
#endif

void large(int iterations) {
  double out[64] = {0}, in[64];
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  count_type counts[16];
  place_type places[16];
  for (int k = 0; k < ranks && k < 16; ++k) {
    counts[k] = 2;
    places[k] = 2 * k;
  }
  for (int i = 0; i < iterations; ++i) {
    MPI_Request requests[2];
    LARGE(MPI_Sendrecv)(out, 8, MPI_DOUBLE, right, 1, in, 8, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    LARGE(MPI_Irecv)(in, 4, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
    LARGE(MPI_Isend)(out, 4, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    LARGE(MPI_Allreduce)(out, in, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    LARGE(MPI_Alltoallv)(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    LARGE(MPI_Gather)(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}
