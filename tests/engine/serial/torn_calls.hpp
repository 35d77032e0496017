// Makes file system calls of the whole program partial, interrupted or unsupported, until the destructor restores them.
#pragma once

#include <cstddef>
#include <limits>

namespace stressbench {

class TornCalls {
 public:
  struct Tears {
    std::size_t longest = std::numeric_limits<std::size_t>::max();  // bytes that one call moves
    int interrupted = 0;                                            // interrupted calls before one is not
    bool without_fallocate = false;
  };
  explicit TornCalls(Tears tears);
  TornCalls(const TornCalls&) = delete;
  TornCalls& operator=(const TornCalls&) = delete;
  ~TornCalls();
};

}  // namespace stressbench
