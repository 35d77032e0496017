// put.c with MPI_Win_flush after each operation.
#define FLUSH
#include "put.c"
