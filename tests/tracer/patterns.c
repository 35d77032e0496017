// Programs of every kind that the tracer must see and `replay` must repeat: patterns NAME [iterations]. What it
// computes is checked, so that a tracer that changed something would be noticed: status 1.
#include "patterns.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int rank, ranks;

void fail(const char* what) {
  fprintf(stderr, "patterns: rank %d: wrong result: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
void work(int microseconds) {
  const double until = MPI_Wtime() + 1e-6 * microseconds;
  while (MPI_Wtime() < until) {
  }
}

static void cg(int iterations) {
  double halo_out[1000], halo_in[1000], sum = 0;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  memset(halo_out, 0, sizeof halo_out);
  for (int i = 0; i < iterations; ++i) {
    MPI_Request requests[4];
    MPI_Irecv(halo_in, 500, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(halo_in + 500, 500, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(halo_out, 500, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(halo_out, 500, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    work(20);
    const double one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != ranks) fail("allreduce");
  }
}

static void sweep(int iterations) {
  double plane[300] = {0};
  for (int i = 0; i < iterations; ++i) {
    for (int direction = 0; direction < 2; ++direction) {
      const int from = direction == 0 ? rank - 1 : rank + 1, to = direction == 0 ? rank + 1 : rank - 1;
      for (int block = 0; block < 5; ++block) {
        if (from >= 0 && from < ranks) MPI_Recv(plane, 300, MPI_DOUBLE, from, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(5);
        if (to >= 0 && to < ranks) MPI_Send(plane, 300, MPI_DOUBLE, to, block, MPI_COMM_WORLD);
      }
    }
  }
}

static void neighbours(
    int iterations) {  // 27-point stencil on a periodic grid: 26 neighbours, some of them the same rank
  int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, own[3];
  MPI_Comm grid;
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 3, own);
  static double out[26][64], in[26][64];
  for (int i = 0; i < iterations; ++i) {
    MPI_Request requests[52];
    int n = 0;
    for (int k = 0; k < 27; ++k) {
      if (k == 13) continue;
      const int shift[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
      int there[3], back[3], to, from;
      for (int d = 0; d < 3; ++d) there[d] = own[d] + shift[d], back[d] = own[d] - shift[d];
      MPI_Cart_rank(grid, there, &to);
      MPI_Cart_rank(grid, back, &from);
      const int place = k > 13 ? k - 1 : k, count = 1 + (shift[0] == 0) * 7 + (shift[1] == 0) * 7 + (shift[2] == 0) * 7;
      MPI_Irecv(in[place], count, MPI_DOUBLE, from, k, grid, &requests[n++]);
      MPI_Isend(out[place], count, MPI_DOUBLE, to, k, grid, &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&grid);
}

static void persistent(int iterations) {
  int out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Recv_init(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < iterations; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (in != (rank + ranks - 1) % ranks) fail("persistent");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void ring(int iterations) {
  double out[128], in[128];
  memset(out, 0, sizeof out);
  for (int i = 0; i < iterations; ++i) {
    MPI_Sendrecv(out, 128, MPI_DOUBLE, (rank + 1) % ranks, 4, in, 128, MPI_DOUBLE, (rank + ranks - 1) % ranks, 4,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 16, MPI_DOUBLE, (rank + 1) % ranks, 5, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  }
}

static void collectives(int iterations) {  // also nonblocking and in place
  double* all = calloc((size_t)ranks * 8, sizeof(double));
  double own[8] = {0}, sum = 0;
  int* counts = calloc((size_t)ranks, sizeof(int));
  int* places = calloc((size_t)ranks, sizeof(int));
  for (int r = 0; r < ranks; ++r) counts[r] = 1 + r % 3, places[r] = 8 * r;
  for (int i = 0; i < iterations; ++i) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(own, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    work(10);
    int done = 0;
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Bcast(own, 8, MPI_DOUBLE, i % ranks, MPI_COMM_WORLD);
    MPI_Allgather(own, 8, MPI_DOUBLE, all, 8, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 8, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Gatherv(own, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatter(all, 8, MPI_DOUBLE, rank == 0 ? MPI_IN_PLACE : own, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : own, own, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Exscan(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(all, own, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(all);
  free(counts);
  free(places);
}

static void derived(int iterations) {  // a column of a matrix
  static double matrix[40][40];
  MPI_Datatype column;
  MPI_Type_vector(40, 1, 40, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < iterations; ++i) {
    MPI_Request request;
    MPI_Irecv(&matrix[0][1], 1, column, (rank + ranks - 1) % ranks, 6, MPI_COMM_WORLD, &request);
    MPI_Send(&matrix[0][0], 1, column, (rank + 1) % ranks, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&column);
}

static void communicators(int iterations) {
  for (int i = 0; i < iterations; ++i) {
    MPI_Comm half, same;
    int value = rank, sum = 0, size = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(half, &same);
    MPI_Comm_size(half, &size);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Bcast(&value, 1, MPI_INT, size - 1, same);
    MPI_Comm_free(&same);
    MPI_Comm_free(&half);
  }
}

static void any_source(int iterations) {
  for (int i = 0; i < iterations; ++i) {
    if (rank == 0) {
      int seen = 0, value = 0, later[2] = {0, 0};
      MPI_Request requests[2];
      MPI_Status status;
      for (int k = 1; k < ranks; ++k) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (value != status.MPI_SOURCE) fail("any source");
        seen += value;
      }
      if (seen != ranks * (ranks - 1) / 2) fail("any source: sum");
      MPI_Barrier(MPI_COMM_WORLD);
      for (int k = 1; k + 1 < ranks; k += 2) {
        int index = 0;
        for (int r = 0; r < 2; ++r) MPI_Irecv(&later[r], 1, MPI_INT, MPI_ANY_SOURCE, 100, MPI_COMM_WORLD, &requests[r]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      }
      if (ranks % 2 == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Send(&rank, 1, MPI_INT, 0, 100, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void probes(int iterations) {
  int value = 7;
  for (int i = 0; i < iterations; ++i) {
    if (rank == 0) {
      for (int k = 1; k < ranks; ++k) {
        MPI_Status status;
        MPI_Message message;
        MPI_Probe(k, 9, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(k, 10, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
      MPI_Send(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
    }
  }
}

static void irregular(int iterations) {  // no two messages are alike: nothing to fold
  unsigned state = 1;
  char* bytes = calloc(2, 1 << 20);
  for (int i = 0; i < iterations; ++i) {
    state = state * 1664525U + 1013904223U;
    const int size = (int)(state >> 12U);
    MPI_Sendrecv(bytes, size, MPI_BYTE, rank, 1, bytes + (1 << 20), 1 << 20, MPI_BYTE, rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  free(bytes);
}

static void small(int iterations) {  // as many calls as possible: 10 an iteration
  char byte = 0;
  for (int i = 0; i < iterations; ++i) {
    for (int k = 0; k < 5; ++k) {
      MPI_Request request;
      MPI_Irecv(&byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

static int64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void sleeps(int iterations) {  // computes for 1 ms, then sleeps for 5 ms
  const struct timespec pause = {0, 5000000};
  for (int i = 0; i < iterations; ++i) {
    const int64_t end_ns = cpu_ns() + 1000000;
    while (cpu_ns() < end_ns) {
    }
    nanosleep(&pause, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void remembers(int iterations) {  // uses 48 MiB once, then 16 MiB of them in each iteration
  enum { mebibyte = 1 << 20 };
  static char memory[48 * mebibyte];
  memset(memory, 1, sizeof(memory));
  for (int i = 0; i < iterations; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    memset(memory, i, 16 * mebibyte);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void killed(int iterations) {
  for (int i = 0;; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == iterations && rank == ranks - 1) abort();
  }
}
static void aborted(int iterations) {
  for (int i = 0; i < iterations; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*run)(int);
} all[] = {{"cg", cg},
           {"sweep", sweep},
           {"neighbours", neighbours},
           {"persistent", persistent},
           {"ring", ring},
           {"collectives", collectives},
           {"derived", derived},
           {"communicators", communicators},
           {"any_source", any_source},
           {"probes", probes},
           {"irregular", irregular},
           {"large", large},
           {"small", small},
           {"sleeps", sleeps},
           {"remembers", remembers},
           {"graphs", graphs},
           {"planes", planes},
           {"parts", parts},
           {"paused", paused},
           {"started", started},
           {"windows", windows},
           {"epochs", epochs},
           {"scattered", scattered},
           {"files", files},
           {"objects", objects},
           {"objects_unseen", objects_unseen},
           {"objects_threads", objects_threads},
           {"objects_mpi4", objects_mpi4},
           {"killed", killed},
           {"aborted", aborted}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int iterations = argc > 2 ? atoi(argv[2]) : 10;
  int found = 0;
  const double begin = MPI_Wtime();
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    if (argc > 1 && strcmp(argv[1], all[k].name) == 0) all[k].run(iterations), found = 1;
  }
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0 && found) printf("loop %.9f s\n", seconds);
  MPI_Finalize();
  return found ? 0 : 2;
}
