// An iteration of Sweep3D on SIZE x SIZE x SIZE cells of the whole mesh, mk 10, 6 angles in blocks of 3, ranks in a
// grid as square as can be, the longer side in i.
#include "application.h"

enum { planes = 10, angles_a_block = 3, angle_blocks = 2 };
// Nanoseconds a cell: of an angle southwards and northwards, of the source, of the error.
static const double south_ns = 17, north_ns = 12.5, source_ns = 4, error_ns = 3;

static double *east_west[2], *north_south[2];

static void once(char* out, char* in, int cells, int rank, int ranks, MPI_Comm group) {
  (void)out, (void)in;
  int npe[2] = {0, 0};
  MPI_Dims_create(ranks, 2, npe);
  const int i = rank % npe[0], j = rank / npe[0];
  const int it = block(cells, npe[0], i), jt = block(cells, npe[1], j), blocks = (cells + planes - 1) / planes;
  const int wide = jt * planes * angles_a_block, high = it * planes * angles_a_block;
  if (east_west[0] == NULL) {
    for (int k = 0; k < 2; ++k) {
      east_west[k] = (double*)buffer(8 * (size_t)wide);
      north_south[k] = (double*)buffer(8 * (size_t)high);
    }
  }
  spin(source_ns * it * jt * cells);
  for (int octant = 1; octant <= 8; ++octant) {
    const int to_east = octant > 4, to_north = (octant - 1) / 2 % 2;
    const int from_i = to_east ? i - 1 : i + 1, to_i = to_east ? i + 1 : i - 1;
    const int from_j = to_north ? j - 1 : j + 1, to_j = to_north ? j + 1 : j - 1;
    const int tag_i = (to_east ? 1000 : 3000) * octant, tag_j = (to_north ? 2000 : 4000) * octant;
    const int has_from_i = from_i >= 0 && from_i < npe[0], has_to_i = to_i >= 0 && to_i < npe[0];
    const int has_from_j = from_j >= 0 && from_j < npe[1], has_to_j = to_j >= 0 && to_j < npe[1];
    for (int m = 0; m < angle_blocks; ++m) {
      for (int k = 0; k < blocks; ++k) {
        const int deep = k + 1 < blocks || cells % planes == 0 ? planes : cells % planes;
        if (has_from_i) MPI_Recv(east_west[1], wide, MPI_DOUBLE, j * npe[0] + from_i, tag_i, group, MPI_STATUS_IGNORE);
        if (has_from_j)
          MPI_Recv(north_south[1], high, MPI_DOUBLE, from_j * npe[0] + i, tag_j, group, MPI_STATUS_IGNORE);
        spin((to_north ? north_ns : south_ns) * angles_a_block * it * jt * deep);
        if (has_to_i) MPI_Send(east_west[0], wide, MPI_DOUBLE, j * npe[0] + to_i, tag_i, group);
        if (has_to_j) MPI_Send(north_south[0], high, MPI_DOUBLE, to_j * npe[0] + i, tag_j, group);
      }
    }
  }
  int fixups = 1, all_fixups;
  double error = 1, largest;
  MPI_Allreduce(&fixups, &all_fixups, 1, MPI_INT, MPI_SUM, group);
  spin(error_ns * it * jt * cells);
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, group);
}

BARE_LOOP(sweep3d, once, 1, 0)
