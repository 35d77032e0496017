// Neighbourhood collectives on graphs and on planes of a mesh.
#include <mpi.h>
#include <stdlib.h>

#include "patterns.h"

static void exchange(MPI_Comm ring, int left, int right) {
  const int own = 10 + rank;
  int out[2] = {own, own}, in[2] = {-1, -1};
  MPI_Request request;
  MPI_Neighbor_allgather(&own, 1, MPI_INT, in, 1, MPI_INT, ring);
  if (in[0] != 10 + left || in[1] != 10 + right) fail("neighbours of a graph");
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A ring, spread whole (Graph_create) and by rank 0 alone (Dist_graph_create).
void graphs(int iterations) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int* ends = calloc((size_t)ranks, sizeof(int));
  int* edges = calloc(2 * (size_t)ranks, sizeof(int));
  for (int r = 0; r < ranks; ++r) {
    ends[r] = 2 * (r + 1);
    edges[2 * r] = (r + ranks - 1) % ranks;
    edges[2 * r + 1] = (r + 1) % ranks;
  }
  MPI_Comm ring, same, spread;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 0, &ring);
  MPI_Comm_dup(ring, &same);
  const int all = rank == 0 ? ranks : 0;
  int *sources = calloc((size_t)ranks, sizeof(int)), *degrees = calloc((size_t)ranks, sizeof(int));
  for (int r = 0; r < ranks; ++r) sources[r] = r, degrees[r] = 2;
  MPI_Dist_graph_create(MPI_COMM_WORLD, all, sources, degrees, edges, edges, MPI_INFO_NULL, 0, &spread);
  for (int i = 0; i < iterations; ++i) {
    int value = rank, in[2];
    exchange(ring, left, right);
    exchange(same, left, right);
    MPI_Neighbor_allgather(&value, 1, MPI_INT, in, 1, MPI_INT, spread);
  }
  MPI_Comm_free(&spread);
  MPI_Comm_free(&same);
  MPI_Comm_free(&ring);
  free(ends);
  free(edges);
  free(sources);
  free(degrees);
}

// A mesh of ranks x 1; its rows and its columns.
void planes(int iterations) {
  const int dims[2] = {ranks, 1}, periods[2] = {1, 0}, first[2] = {1, 0}, second[2] = {0, 1};
  MPI_Comm mesh, column, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &mesh);
  MPI_Cart_sub(mesh, first, &column);
  MPI_Cart_sub(mesh, second, &row);
  for (int i = 0; i < iterations; ++i) {
    double out[2] = {rank, rank}, in[2] = {-1, -1}, sum = 0;
    MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, column);
    if (in[0] != (rank + ranks - 1) % ranks || in[1] != (rank + 1) % ranks) fail("neighbours in a column");
    MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, row);  // of MPI_PROC_NULL
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
    if (sum != rank) fail("sum over a row");
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Comm_free(&mesh);
}
