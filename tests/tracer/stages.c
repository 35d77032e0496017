// Collectives by messages: `stages doubling` across each bit of a rank's number, `stages tree` in a binomial tree.
#include <mpi.h>
#include <string.h>

enum { iterations = 30, length = 96, share = 4 };

static double own[length], other[length], gathered[share * 64];

// All ranks get the sum: the nearest partner first, all numbers in each stage.
static void allreduce(int rank, int ranks) {
  for (int k = 0; 1 << k < ranks; ++k) {
    int partner = rank ^ 1 << k;
    MPI_Sendrecv(own, length, MPI_DOUBLE, partner, 10 + k, other, length, MPI_DOUBLE, partner, 10 + k, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < length; ++i) own[i] = (own[i] + other[i]) / 2;
  }
}

// Each rank gets a part of the sum: half of the rest in each stage, the farthest partner first.
static void reduce_scatter(int rank, int ranks) {
  int first = 0;
  int rest = length;
  for (int distance = ranks / 2; distance > 0; distance /= 2) {
    int partner = rank ^ distance;
    rest /= 2;
    int kept = rank & distance ? first + rest : first;
    int given = rank & distance ? first : first + rest;
    MPI_Sendrecv(own + given, rest, MPI_DOUBLE, partner, 1, other, rest, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < rest; ++i) own[kept + i] += other[i];
    first = kept;
  }
}

// Each rank gets the numbers of all: twice as many in each stage.
static void allgather(int rank, int ranks) {
  for (int distance = 1; distance < ranks; distance *= 2) {
    int partner = rank ^ distance;
    MPI_Request requests[2];
    MPI_Irecv(gathered + share * (partner & -distance), share * distance, MPI_DOUBLE, partner, distance, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(gathered + share * (rank & -distance), share * distance, MPI_DOUBLE, partner, distance, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// As MPI libraries write it: a child is the rank with another bit below the lowest one of its parent.
static void reduce(int rank, int ranks) {
  for (int distance = 1; distance < ranks; distance *= 2) {
    if (rank & distance) {
      MPI_Send(own, length, MPI_DOUBLE, rank - distance, 2, MPI_COMM_WORLD);
      return;
    }
    if (rank + distance < ranks) {
      MPI_Recv(other, length, MPI_DOUBLE, rank + distance, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < length; ++i) own[i] += other[i];
    }
  }
}

static void bcast(int rank, int ranks) {
  int distance = 1;
  while (distance < ranks && !(rank & distance)) distance *= 2;
  if (rank != 0) MPI_Recv(own, length, MPI_DOUBLE, rank - distance, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while ((distance /= 2) > 0) {
    if (rank + distance < ranks) MPI_Send(own, length, MPI_DOUBLE, rank + distance, 3, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank;
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < iterations; ++i) {
    if (argc > 1 && strcmp(argv[1], "tree") == 0) {
      reduce(rank, ranks);
      bcast(rank, ranks);
    } else {
      allreduce(rank, ranks);
      reduce_scatter(rank, ranks);
      allgather(rank, ranks);
    }
    if (i % 10 == 9) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
