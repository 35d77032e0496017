// An iteration of TeaLeaf's conjugate gradients on SIZE x SIZE cells.
#include "application.h"

enum { left, right, bottom, top };

static int neighbour[4], rows, columns;
static double *out_of[4], *into[4];
static MPI_Comm mesh = MPI_COMM_NULL;

static void decompose(int cells, int ranks, MPI_Comm group) {
  int dims[2] = {0, 0}, periodic[2] = {0, 0}, at[2], rank;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(group, 2, dims, periodic, 1, &mesh);
  MPI_Comm_rank(mesh, &rank);
  MPI_Cart_coords(mesh, rank, 2, at);
  MPI_Cart_shift(mesh, 0, 1, &neighbour[left], &neighbour[right]);
  MPI_Cart_shift(mesh, 1, 1, &neighbour[bottom], &neighbour[top]);
  columns = block(cells, dims[0], at[0]);
  rows = block(cells, dims[1], at[1]);
  for (int k = 0; k < 4; ++k) {
    const size_t bytes = 8 * (size_t)((k < bottom ? rows : columns) + 2);
    out_of[k] = (double*)buffer(bytes);
    into[k] = (double*)buffer(bytes);
  }
}

static int exchange(int side, int send_tag, int receive_tag, MPI_Request* requests) {
  const int count = (side < bottom ? rows : columns) + 2;
  if (neighbour[side] == MPI_PROC_NULL) return 0;
  MPI_Isend(out_of[side], count, MPI_DOUBLE, neighbour[side], send_tag, mesh, requests);
  MPI_Irecv(into[side], count, MPI_DOUBLE, neighbour[side], receive_tag, mesh, requests + 1);
  return 2;
}

static void sum(void) {
  double own = 1, all;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, mesh);
}

static void once(char* out, char* in, int cells, int rank, int ranks, MPI_Comm group) {
  (void)out, (void)in, (void)rank;
  if (mesh == MPI_COMM_NULL) decompose(cells, ranks, group);  // in the warm-up
  const double own_cells = (double)rows * columns;
  MPI_Request x[4], y[4];
  int done;
  spin(2.13 * own_cells);
  sum();
  spin(1.15 * own_cells);
  sum();
  spin(0.56 * own_cells);
  int across = exchange(left, 1, 2, x);
  across += exchange(right, 2, 1, x + across);
  MPI_Testall(across, x, &done, MPI_STATUSES_IGNORE);
  int down = exchange(bottom, 3, 4, y);
  down += exchange(top, 4, 3, y + down);
  if (!done) MPI_Waitall(across, x, MPI_STATUSES_IGNORE);
  MPI_Waitall(down, y, MPI_STATUSES_IGNORE);
}

BARE_LOOP(tealeaf, once, 1, 0)
