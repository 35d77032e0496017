// One-sided communication: what reaches into windows, and the epochs that it stands in.
#include <mpi.h>
#include <stdlib.h>

#include "patterns.h"

// Fences; every kind of transfer; memory of the library.
void windows(int iterations) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  double* memory = NULL;
  MPI_Win window;
  MPI_Win_allocate((MPI_Aint)(64 * sizeof(double)), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int k = 0; k < 64; ++k) memory[k] = 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  for (int i = 0; i < iterations; ++i) {
    double out[16], in[16] = {0}, sum = -1, old = -1;
    for (int k = 0; k < 16; ++k) out[k] = rank;
    MPI_Put(out, 16, MPI_DOUBLE, right, 0, 16, MPI_DOUBLE, window);
    MPI_Accumulate(out, 8, MPI_DOUBLE, right, 16, 8, MPI_DOUBLE, MPI_SUM, window);
    MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, &old, 1, MPI_DOUBLE, right, 32, 1, MPI_DOUBLE, MPI_NO_OP, window);
    MPI_Fetch_and_op(out, &sum, MPI_DOUBLE, right, 33, MPI_MAX, window);
    MPI_Put(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, 4, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSTORE, window);
    if (memory[0] != left || memory[15] != left) fail("put");
    if (memory[16] != left * (i + 1)) fail("accumulate");
    MPI_Get(in, 16, MPI_DOUBLE, left, 0, 16, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    if (in[0] != (left + ranks - 1) % ranks) fail("get");
  }
  MPI_Win_free(&window);
}

static void locked(MPI_Win window, int partner) {
  int one = 1, zero = 0, seen = -1, values[4] = {1, 2, 3, 4}, got[4] = {0};
  MPI_Request requests[2];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, partner, 0, window);
  MPI_Put(values, 4, MPI_INT, partner, 4, 4, MPI_INT, window);
  MPI_Win_unlock(partner, window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Fetch_and_op(&one, &seen, MPI_INT, partner, 0, MPI_SUM, window);
  MPI_Win_flush(partner, window);
  if (seen < 0) fail("fetch and add");
  MPI_Compare_and_swap(&one, &zero, &seen, MPI_INT, partner, 1, window);
  MPI_Win_flush_local(partner, window);
  MPI_Rput(values, 4, MPI_INT, partner, 4, 4, MPI_INT, window, &requests[0]);
  MPI_Raccumulate(values, 4, MPI_INT, partner, 8, 4, MPI_INT, MPI_SUM, window, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Rget(got, 4, MPI_INT, partner, 4, 4, MPI_INT, window, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (got[3] != 4) fail("rget");
  MPI_Win_flush_local_all(window);
  MPI_Win_sync(window);
  MPI_Win_unlock_all(window);
}

// Locks; post, start, complete, wait; memory of the program; a partner that is the second window's only other member.
void epochs(int iterations) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int* memory = calloc(64, sizeof(int));
  MPI_Win window;
  MPI_Group everybody, to, from;
  MPI_Win_create(memory, (MPI_Aint)(64 * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  MPI_Group_incl(everybody, 1, &right, &to);
  MPI_Group_incl(everybody, 1, &left, &from);
  for (int i = 0; i < iterations; ++i) {
    locked(window, right);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(&rank, 1, MPI_INT, right, 20, 1, MPI_INT, window);
    MPI_Win_complete(window);
    if (i % 2 == 0) {
      MPI_Win_wait(window);
    } else {
      for (int done = 0; !done;) MPI_Win_test(window, &done);
    }
    if (memory[20] != left) fail("post, start, complete, wait");
  }
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&everybody);
  MPI_Win_free(&window);
  free(memory);
}

// A table that each writes to at places of its own, never twice at one.
void scattered(int iterations) {
  int* memory = NULL;
  MPI_Win window;
  MPI_Win_allocate((MPI_Aint)sizeof(int) * iterations, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < iterations; ++i) {
    MPI_Put(&rank, 1, MPI_INT, (rank + i) % ranks, i, 1, MPI_INT, window);
    MPI_Win_flush_all(window);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}
