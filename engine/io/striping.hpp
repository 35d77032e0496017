// How a parallel file system spreads a file over I/O nodes: round robin, in stripes of one size. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench::io {

struct Striping {
  std::int64_t stripe_bytes = 0;  // 0: the whole file on one I/O node
  int first_node = 0;             // I/O node of the first stripe, below the number of I/O nodes
  int node_count = 1;             // I/O nodes of the file: the first one and those that follow it
};

// Bytes of the range from `begin` to `end` on each of `nodes` I/O nodes. Their sum is end - begin.
std::vector<std::int64_t> bytes_by_node(const Striping& striping, int nodes, std::int64_t begin, std::int64_t end);

}  // namespace stressbench::io
