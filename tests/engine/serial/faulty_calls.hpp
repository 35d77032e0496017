// Makes file system calls of the whole program partial, interrupted or unsupported, until the destructor restores them.
#pragma once

#include <cstddef>
#include <limits>

namespace stressbench {

class FaultyCalls {
 public:
  struct Faults {
    std::size_t max_bytes = std::numeric_limits<std::size_t>::max();  // bytes that one call moves
    int interrupted_calls = 0;                                        // interrupted calls before one is not
    bool without_fallocate = false;
  };
  explicit FaultyCalls(Faults faults);
  FaultyCalls(const FaultyCalls&) = delete;
  FaultyCalls& operator=(const FaultyCalls&) = delete;
  ~FaultyCalls();
};

}  // namespace stressbench
