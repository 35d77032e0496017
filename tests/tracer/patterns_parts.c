// A program that says which of its parts are to be looked at.
#include <mpi.h>

#include "patterns.h"

// With the same partner over both communicators, which ranks take in different orders: they are told apart by when they
// were made.
static void exchange(MPI_Comm pair[2]) {
  int own = 0, size = 0, out[2] = {1, 2}, in[2][2];
  MPI_Request requests[4];
  MPI_Comm_rank(pair[0], &own);
  MPI_Comm_size(pair[0], &size);
  for (int k = 0; k < 2; ++k) {
    const int c = (k + own) % 2;
    MPI_Irecv(in[c], 1 + c, MPI_INT, size - 1 - own, 7, pair[c], &requests[2 * k]);
    MPI_Isend(out, 1 + c, MPI_INT, size - 1 - own, 7, pair[c], &requests[2 * k + 1]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

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
      MPI_Comm pair[2] = {same, other};
      exchange(pair);
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

// Reductions, in the middle of which the program says for half a second that nothing is to be looked at.
void paused(int iterations) {
  for (int i = 0; i < iterations; ++i) {
    int sum = 0;
    if (i == iterations / 2) {
      work(1000);
      MPI_Pcontrol(0);
      work(500000);
      MPI_Pcontrol(1);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

// Persistent requests that are created outside of the parts in which they are started, over a communicator with
// reversed ranks. Before the second part the send is created again with twice the size.
void started(int iterations) {
  const int own = ranks - 1 - rank, left = (rank + ranks - 1) % ranks;
  int out[2] = {rank, rank}, in[2] = {-1, -1};
  MPI_Comm turned;
  MPI_Request requests[3];
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Recv_init(in, 2, MPI_INT, (own + 1) % ranks, 3, turned, &requests[0]);
  MPI_Send_init(out, 1, MPI_INT, (own + ranks - 1) % ranks, 3, turned, &requests[1]);
  MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 4, turned, &requests[2]);
  for (int part = 0; part < 2; ++part) {
    MPI_Pcontrol(1);
    for (int i = 0; i < iterations; ++i) {
      in[part] = -1;
      MPI_Startall(3, requests);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      if (in[part] != left) fail("started");
    }
    MPI_Pcontrol(0);
    if (part == 1) continue;
    MPI_Request_free(&requests[1]);
    MPI_Send_init(out, 2, MPI_INT, (own + ranks - 1) % ranks, 3, turned, &requests[1]);
  }
  for (int k = 0; k < 3; ++k) MPI_Request_free(&requests[k]);
  MPI_Comm_free(&turned);
}
