// Rank 0 writes SIZE bytes to rank 1's memory, each time inside a lock of its own; with FLUSH defined inside one lock
// that is kept, each time until the memory has them. Rank 1 makes no call meanwhile.
#include "loop.h"

static MPI_Win window = MPI_WIN_NULL;

static int origin;

static void close_window(void) {
#ifdef FLUSH
  if (origin) MPI_Win_unlock(1, window);
#endif
  MPI_Win_free(&window);  // MPI_WIN_NULL now: the next one opens anew
}

static void open_window(char* memory, int bytes, int rank, MPI_Comm group) {
  MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, group, &window);
  origin = rank == 0;
#ifdef FLUSH
  if (origin) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
#endif
  finish = close_window;
}

static void once(char* out, char* in, int bytes, int rank, int ranks, MPI_Comm group) {
  (void)ranks;
  if (window == MPI_WIN_NULL) open_window(in, bytes, rank, group);
  if (!origin) return;
#ifdef FLUSH
  MPI_Put(out, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
  MPI_Win_flush(1, window);
#else
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Put(out, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
  MPI_Win_unlock(1, window);
#endif
}

// Only one of the two ranks spends time: the mean over both is half of it.
#ifdef FLUSH
BARE_LOOP(put_flush, once, 2.0, 0)
#else
BARE_LOOP(put, once, 2.0, 0)
#endif
