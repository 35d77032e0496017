// Pairs of ranks (0 and 1, 2 and 3, ...): the lower one sends 64 messages without waiting, the other acknowledges them.
#include "loop.h"

enum { window = 64 };

static void once(char* out, char* in, int bytes, int rank, int ranks, MPI_Comm group) {
  MPI_Request requests[window];
  char acknowledgement[4] = {0};
  const int other = rank ^ 1;
  if (other >= ranks) return;
  for (int m = 0; m < window; ++m) {
    if (rank < other) {
      MPI_Isend(out, bytes, MPI_BYTE, other, 0, group, &requests[m]);
    } else {
      MPI_Irecv(in, bytes, MPI_BYTE, other, 0, group, &requests[m]);
    }
  }
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  if (rank < other) {
    MPI_Recv(acknowledgement, 4, MPI_BYTE, other, 0, group, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(acknowledgement, 4, MPI_BYTE, other, 0, group);
  }
}

BARE_LOOP(bandwidth, once, 1.0, 0)
