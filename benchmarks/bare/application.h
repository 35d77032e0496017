// What the loops of applications share: computation that spins, and buffers of their own. Written from the
// applications' sources and papers, as a person would who wants to time their messages; nothing of the engine is used.
#ifndef STRESSBENCH_BARE_APPLICATION_H
#define STRESSBENCH_BARE_APPLICATION_H

#include "loop.h"

static inline void spin(double ns) {
  const int64_t end = now_ns() + (int64_t)ns;
  while (now_ns() < end) {
  }
}

// Cells of one of `parts` blocks: the first blocks have one more.
static inline int block(int cells, int parts, int index) { return cells / parts + (index < cells % parts ? 1 : 0); }

#endif
