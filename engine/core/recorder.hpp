// The clock as seen by motifs.
#pragma once

#include <cstdint>

#include "core/clock.hpp"

namespace stressbench {

// The clock that is passed to `perform`, for a motif that times parts of its pattern or computes in it.
class Recorder {
 public:
  explicit Recorder(const Clock& clock) noexcept : clock_(clock) {}
  std::int64_t now_ns() const noexcept { return clock_.now_ns(); }
  // Busy-waits, which occupies the core as an application's computation does.
  void spin_for(std::int64_t duration_ns) const noexcept { spin_until(now_ns() + duration_ns); }
  void spin_until(std::int64_t end_ns) const noexcept { clock_.spin_until(end_ns); }

 private:
  const Clock& clock_;
};

}  // namespace stressbench
