// What the bare loops share: arguments, aligned and touched buffers, the clock, and one JSON line a size. No more than
// a careful person would write by hand; the engine is compared against this.
//
//   PROGRAM ITERATIONS REPETITIONS WARMUP SIZE...
//
// With STRESSBENCH_TURNS defined a loop is no program but a part of benchmarks/turns, which takes turns with the
// engine's motif within one process.
#ifndef STRESSBENCH_BARE_LOOP_H
#define STRESSBENCH_BARE_LOOP_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pattern.h"

static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Aligned to a page and written to, as the engine's buffers are.
static inline char* buffer(size_t bytes) {
  void* made = NULL;
  if (posix_memalign(&made, 4096, bytes ? bytes : 1) != 0) abort();
  memset(made, 1, bytes ? bytes : 1);
  return made;
}

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

#ifndef STRESSBENCH_BARE_NO_MEASURE
static void (*finish)(void);  // set by a pattern that has something to give back
#endif

// ITERATIONS times the pattern, with nothing around it.
#define BARE_REPEAT(once)                                                                                    \
  static void repeat(char* out, char* in, int bytes, int rank, int ranks, MPI_Comm group, long iterations) { \
    for (long i = 0; i < iterations; ++i) once(out, in, bytes, rank, ranks, group);                          \
  }                                                                                                          \
  static void end(void) {                                                                                    \
    if (finish != NULL) finish();                                                                            \
    finish = NULL;                                                                                           \
  }

#ifdef STRESSBENCH_TURNS
#define BARE_LOOP(name, once, of_iteration, in_parts) \
  BARE_REPEAT(once)                                   \
  const struct BarePattern bare_##name = {#name, repeat, end, of_iteration, in_parts};
#else
#define BARE_LOOP(name, once, of_iteration, in_parts)                                \
  BARE_REPEAT(once)                                                                  \
  int main(int argc, char** argv) {                                                  \
    const struct BarePattern pattern = {#name, repeat, end, of_iteration, in_parts}; \
    return measure(argc, argv, &pattern);                                            \
  }
#endif

#if !defined(STRESSBENCH_BARE_NO_MEASURE) && !defined(STRESSBENCH_TURNS)
// Repeats ITERATIONS times between two readings of the clock, REPETITIONS times; prints the median over repetitions of
// the mean over ranks of the time of one iteration, times the pattern's share.
static int measure(int argc, char** argv, const struct BarePattern* pattern) {
  MPI_Init(&argc, &argv);
  if (argc < 5) {
    fprintf(stderr, "usage: %s ITERATIONS REPETITIONS WARMUP SIZE...\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm group;
  MPI_Comm_dup(MPI_COMM_WORLD, &group);
  int rank, ranks;
  MPI_Comm_rank(group, &rank);
  MPI_Comm_size(group, &ranks);
  const long iterations = atol(argv[1]);
  const int repetitions = atoi(argv[2]), warmup = atoi(argv[3]);
  double* mine = calloc((size_t)repetitions, sizeof *mine);
  double* sums = calloc((size_t)repetitions, sizeof *sums);
  for (int a = 4; a < argc; ++a) {
    const int bytes = atoi(argv[a]);
    const size_t whole = (size_t)bytes * (size_t)(pattern->parts ? ranks : 1);
    char *out = buffer(whole), *in = buffer(whole);
    for (int r = -warmup; r < repetitions; ++r) {
      MPI_Barrier(group);
      const int64_t start_ns = now_ns();
      pattern->repeat(out, in, bytes, rank, ranks, group, iterations);
      const int64_t end_ns = now_ns();
      if (r >= 0) mine[r] = 1e-9 * (double)(end_ns - start_ns) / (double)iterations * pattern->share;
    }
    MPI_Reduce(mine, sums, repetitions, MPI_DOUBLE, MPI_SUM, 0, group);
    if (rank == 0) {
      qsort(sums, (size_t)repetitions, sizeof *sums, by_value);
      const double median = (sums[(repetitions - 1) / 2] + sums[repetitions / 2]) / 2 / ranks;
      printf("{\"size_bytes\": %d, \"rank_mean_median_s\": %.6e}\n", bytes, median);
    }
    pattern->end();
    free(out);
    free(in);
  }
  free(mine);
  free(sums);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return 0;
}
#endif

#endif
