// Two ranks: one sends, the other answers. Half a round trip.
#include "loop.h"

static void once(char* out, char* in, int bytes, int rank, int ranks, MPI_Comm group) {
  (void)ranks;
  if (rank == 0) {
    MPI_Send(out, bytes, MPI_BYTE, 1, 0, group);
    MPI_Recv(in, bytes, MPI_BYTE, 1, 0, group, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(in, bytes, MPI_BYTE, 0, 0, group, MPI_STATUS_IGNORE);
    MPI_Send(out, bytes, MPI_BYTE, 0, 0, group);
  }
}

BARE_LOOP(pingpong, once, 0.5, 0)
