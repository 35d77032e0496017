// A bare loop as others see it: a program of its own, or one that takes turns with a motif (benchmarks/turns).
#ifndef STRESSBENCH_BARE_PATTERN_H
#define STRESSBENCH_BARE_PATTERN_H

#include <mpi.h>

struct BarePattern {
  const char* name;
  void (*repeat)(char* out, char* in, int bytes, int rank, int ranks, MPI_Comm group, long iterations);
  void (*end)(void);  // gives back what the pattern took, before its buffers and communicator go
  double share;       // of the mean over ranks of an iteration's time: a ping-pong's one way is half its round trip
  int parts;          // buffers hold SIZE bytes for each rank
  void (*before)(char* out, int bytes, int rank, MPI_Comm group);  // untimed, before each `repeat`; may be null
};

#endif
