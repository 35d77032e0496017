// One ring exchange, timed by b_eff's rule and by hpcc's in turns, within one launch, out of b_eff's kind of buffers
// and out of hpcc's: what the rules and the buffers alone make of it. Every rank sends 2,000,000 bytes to its left and
// to its right neighbour, by two MPI_Sendrecv or by nonblocking calls, from the same two buffers each time; two
// iterations after an untimed one, the best of three attempts.
//
//   b_eff: ranks begin behind a barrier; the slowest rank of each method; then the faster method.
//   hpcc:  no barrier, ranks begin when they come to it; the faster method of each rank; then the slowest rank.
//
//   written:   what is sent was written before, as applications and b_eff do.
//   untouched: it was not, but for the first and the last byte, as in hpcc. To Linux, all pages of such memory are one
//              and the same page of zeros, which stays in the cache of whoever reads it.
//
// Prints for each of the eight combinations (barrier or not, slowest rank first or faster method first, written or
// untouched) bytes a second and rank, of the naturally ordered ring and the logarithmic average of 30 random ones.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 2000000, RINGS = 31, ATTEMPTS = 3, ITERATIONS = 2, METHODS = 2 };

struct Ring {
  int left;
  int right;
};

static char* written[2];
static char* untouched[2];
static char** out = written;
static char* in[2];

static void exchange(struct Ring ring, int nonblocking) {
  if (!nonblocking) {
    MPI_Sendrecv(out[0], SIZE, MPI_BYTE, ring.right, 0, in[0], SIZE, MPI_BYTE, ring.left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out[1], SIZE, MPI_BYTE, ring.left, 1, in[1], SIZE, MPI_BYTE, ring.right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request requests[4];
  MPI_Irecv(in[0], SIZE, MPI_BYTE, ring.left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], SIZE, MPI_BYTE, ring.right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out[0], SIZE, MPI_BYTE, ring.right, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out[1], SIZE, MPI_BYTE, ring.left, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// Seconds of a message on this rank.
static double timed(struct Ring ring, int nonblocking, int barrier) {
  exchange(ring, nonblocking);
  if (barrier) MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < ITERATIONS; ++i) exchange(ring, nonblocking);
  return (MPI_Wtime() - start) / (2 * ITERATIONS);
}

// Seconds of a message in a ring, by a rule, of one attempt; both orders of choosing from the same times.
static void attempt(struct Ring ring, int barrier, double* slowest_rank_first, double* faster_method_first) {
  double own[METHODS];
  double slowest[METHODS];
  if (!barrier) MPI_Barrier(MPI_COMM_WORLD);  // hpcc begins each ring with a broadcast and a reduction to all
  for (int method = 0; method < METHODS; ++method) own[method] = timed(ring, method, barrier);
  MPI_Allreduce(own, slowest, METHODS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  *slowest_rank_first = fmin(slowest[0], slowest[1]);
  double faster = fmin(own[0], own[1]);
  MPI_Allreduce(&faster, faster_method_first, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

// The natural order for ring 0; others at random, the same on all ranks.
static struct Ring ring_of(int number, int rank, int ranks, int* order) {
  for (int i = 0; i < ranks; ++i) order[i] = i;
  for (int i = ranks - 1; number > 0 && i > 0; --i) {
    const int other = rand() % (i + 1);
    const int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  int place = 0;
  while (order[place] != rank) ++place;
  return (struct Ring){order[(place + ranks - 1) % ranks], order[(place + 1) % ranks]};
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* const order = malloc((size_t)ranks * sizeof *order);
  for (int way = 0; way < 2; ++way) {
    written[way] = malloc(SIZE);
    untouched[way] = malloc(SIZE);
    in[way] = malloc(SIZE);
    memset(written[way], way + 1, SIZE);
    memset(in[way], 0, SIZE);
    untouched[way][0] = untouched[way][SIZE - 1] = 1;
  }
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1U);
  double best[RINGS][2][2][2];  // by buffers, by barrier, by order of choosing
  for (int number = 0; number < RINGS; ++number) {
    const struct Ring ring = ring_of(number, rank, ranks, order);
    for (int i = 0; i < 8; ++i) best[number][i / 4][i / 2 % 2][i % 2] = 1e99;
    for (int i = 0; i < 4 * ATTEMPTS; ++i) {
      const int barrier = (i + number) % 2;
      const int fresh = (i + number) / 2 % 2;
      double first, second;
      out = fresh ? untouched : written;
      attempt(ring, barrier, &first, &second);
      double* const least = best[number][fresh][barrier];
      least[0] = fmin(least[0], first);
      least[1] = fmin(least[1], second);
    }
  }
  for (int i = 0; rank == 0 && i < 8; ++i) {
    const int fresh = i / 4;
    const int barrier = i / 2 % 2;
    const int chosen = i % 2;
    double sum = 0;
    for (int number = 1; number < RINGS; ++number) sum += log(best[number][fresh][barrier][chosen]);
    printf("%s %s %s %.6g %.6g\n", fresh ? "untouched" : "written", barrier ? "barrier" : "none",
           chosen ? "method" : "rank", SIZE / best[0][fresh][barrier][chosen], SIZE / exp(sum / (RINGS - 1)));
  }
  free(order);
  MPI_Finalize();
  return 0;
}
