// Four transposes (to and fro, each with one back) of SIZE x SIZE complex numbers in slabs of rows, as FFTW's MPI
// transform does them with an even number of ranks: a tournament of MPI_Sendrecv. No computation.
#include "loop.h"

static double *outgoing, *incoming;

static int rows_of(int n, int ranks, int rank) {
  const int slab = (n + ranks - 1) / ranks, first = slab * rank;
  return first >= n ? 0 : first + slab > n ? n - first : slab;
}

static int partner(int round, int rank, int ranks) {
  const int players = ranks - 1;  // an even number of ranks: the last one stays where it is
  if (rank == players) return round;
  const int other = ((2 * round - rank) % players + players) % players;
  return other == rank ? players : other;
}

static void once(char* out, char* in, int n, int rank, int ranks, MPI_Comm group) {
  (void)out, (void)in;
  const int slab = (n + ranks - 1) / ranks;
  if (outgoing == NULL) {
    outgoing = (double*)buffer(16 * (size_t)slab * (size_t)slab);
    incoming = (double*)buffer(16 * (size_t)slab * (size_t)slab);
  }
  for (int transpose = 0; transpose < 4; ++transpose) {
    for (int round = 0; round < ranks - 1; ++round) {
      const int other = partner(round, rank, ranks);
      const int send = 2 * rows_of(n, ranks, rank) * rows_of(n, ranks, other);
      MPI_Sendrecv(outgoing, send, MPI_DOUBLE, other, 0, incoming, send, MPI_DOUBLE, other, 0, group,
                   MPI_STATUS_IGNORE);
    }
  }
}

BARE_LOOP(fft2d, once, 1, 0)
