// A time step of LULESH 2.0 with SIZE elements along each side of a rank's cube; the number of ranks is a cube. For
// each of three exchanges: receives, computation, sends, waits.
#include <math.h>

#include "application.h"

enum { most = 26 };
// Nanoseconds an element: before the reduction, in the forces, positions, before and after the gradients' receives.
static const double before_ns = 90, forces_ns = 345, positions_ns = 7, gradients_ns = 56, rest_ns = 36;

// Faces, edges, corners: steps in column, row, plane.
static const int step[most][3] = {
    {0, 0, -1},   {0, 0, 1},   {0, -1, 0},  {0, 1, 0},  {-1, 0, 0},  {1, 0, 0},  {-1, -1, 0}, {0, -1, -1}, {-1, 0, -1},
    {1, 1, 0},    {0, 1, 1},   {1, 0, 1},   {-1, 1, 0}, {0, -1, 1},  {-1, 0, 1}, {1, -1, 0},  {0, 1, -1},  {1, 0, -1},
    {-1, -1, -1}, {-1, -1, 1}, {1, -1, -1}, {1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, 1, -1},  {1, 1, 1}};

static double *outgoing[most], *incoming[most];
static int side, peer[most];

static void decompose(int elements, int rank, int ranks) {
  side = (int)lround(cbrt(ranks));
  const int at[3] = {rank % side, rank / side % side, rank / side / side};
  for (int k = 0; k < most; ++k) {
    int to[3], inside = 1;
    for (int d = 0; d < 3; ++d) {
      to[d] = at[d] + step[k][d];
      inside = inside && to[d] >= 0 && to[d] < side;
    }
    peer[k] = inside ? to[0] + side * (to[1] + side * to[2]) : -1;
    const size_t bytes = 48 * (size_t)(elements + 1) * (size_t)(elements + 1);
    outgoing[k] = (double*)buffer(bytes);
    incoming[k] = (double*)buffer(bytes);
  }
}

static int doubles(int k, int fields, int points) { return fields * (k < 6 ? points * points : k < 18 ? points : 1); }

// Sends to the neighbours that `to` says, receives from those that `from` says: 0 all, -1 lower ranks, 1 higher ones.
static void exchange(int tag, int fields, int points, int kinds, int to, int from, double compute_ns, int rank,
                     MPI_Comm group) {
  MPI_Request sends[most], receives[most];
  for (int k = 0; k < most; ++k) sends[k] = receives[k] = MPI_REQUEST_NULL;
  for (int k = 0; k < kinds; ++k) {
    if (peer[k] < 0 || (from > 0 && peer[k] < rank) || (from < 0 && peer[k] > rank)) continue;
    MPI_Irecv(incoming[k], doubles(k, fields, points), MPI_DOUBLE, peer[k], tag, group, &receives[k]);
  }
  spin(compute_ns);
  for (int k = 0; k < kinds; ++k) {
    if (peer[k] < 0 || (to > 0 && peer[k] < rank) || (to < 0 && peer[k] > rank)) continue;
    MPI_Isend(outgoing[k], doubles(k, fields, points), MPI_DOUBLE, peer[k], tag, group, &sends[k]);
  }
  MPI_Waitall(most, sends, MPI_STATUSES_IGNORE);
  for (int k = 0; k < kinds; ++k) {
    if (receives[k] != MPI_REQUEST_NULL) MPI_Wait(&receives[k], MPI_STATUS_IGNORE);
  }
}

static void once(char* out, char* in, int elements, int rank, int ranks, MPI_Comm group) {
  (void)out, (void)in;
  if (side == 0) decompose(elements, rank, ranks);
  const double own = pow(elements, 3);
  double dt = 1, least;
  spin(before_ns * own);
  MPI_Allreduce(&dt, &least, 1, MPI_DOUBLE, MPI_MIN, group);
  exchange(1024, 3, elements + 1, 26, 0, 0, forces_ns * own, rank, group);
  exchange(2048, 6, elements + 1, 26, -1, 1, positions_ns * own, rank, group);
  spin(gradients_ns * own);
  exchange(3072, 3, elements, 6, 0, 0, rest_ns * own, rank, group);
}

BARE_LOOP(lulesh, once, 1, 0)
