// A ping-pong whose blocks are traced in turn and not, in one process: memory and its placement are the same for both.
//   PROGRAM ITERATIONS BLOCKS SIZE: BLOCKS of ITERATIONS with the tracer looking (MPI_Pcontrol(1)) and as many without
//   (MPI_Pcontrol(0)), in an order drawn at random; prints for each the medians of half a round trip.
#define STRESSBENCH_BARE_NO_MEASURE
#include "loop.h"

static double block(char* out, char* in, int bytes, long iterations, int rank, MPI_Comm group) {
  for (int i = 0; i < 3; ++i) MPI_Barrier(group);
  const int64_t start = now_ns();
  for (long i = 0; i < iterations; ++i) {
    if (rank == 0) {
      MPI_Send(out, bytes, MPI_BYTE, 1, 0, group);
      MPI_Recv(in, bytes, MPI_BYTE, 1, 0, group, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_BYTE, 0, 0, group, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_BYTE, 0, 0, group);
    }
  }
  return 0.5e-9 * (double)(now_ns() - start) / (double)iterations;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const long iterations = atol(argv[1]);
  const int blocks = atoi(argv[2]), bytes = atoi(argv[3]);
  char *out = buffer((size_t)bytes), *in = buffer((size_t)bytes);
  double* times[2] = {calloc((size_t)blocks, sizeof(double)), calloc((size_t)blocks, sizeof(double))};
  srand(1);  // the same order on both ranks
  for (int b = -2; b < blocks; ++b) {
    const int first = rand() % 2;
    for (int half = 0; half < 2; ++half) {
      const int traced = half == 0 ? first : !first;
      MPI_Pcontrol(traced);
      const double time = block(out, in, bytes, iterations, rank, MPI_COMM_WORLD);
      if (b >= 0) times[traced][b] = time;
    }
  }
  MPI_Pcontrol(1);
  if (rank == 0) {
    double* ratio = calloc((size_t)blocks, sizeof *ratio);
    for (int b = 0; b < blocks; ++b) ratio[b] = times[1][b] / times[0][b];
    qsort(ratio, (size_t)blocks, sizeof *ratio, by_value);
    for (int traced = 0; traced < 2; ++traced) qsort(times[traced], (size_t)blocks, sizeof(double), by_value);
    printf("{\"traced_s\": %.6e, \"paused_s\": %.6e, \"ratio\": %.6f}\n", times[1][blocks / 2], times[0][blocks / 2],
           ratio[blocks / 2]);
    free(ratio);
  }
  for (int traced = 0; traced < 2; ++traced) free(times[traced]);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
