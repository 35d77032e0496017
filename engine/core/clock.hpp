// Time. A scheduler takes a Clock, so that its tests have one that they move by hand.
#pragma once

#include <cstdint>

namespace stressbench {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since some fixed point of this host; never goes back.
  virtual std::int64_t now_ns() const noexcept = 0;
};

// CLOCK_MONOTONIC through the vDSO: about 20 ns a call.
class MonotonicClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override;
};

struct ClockQuality {
  double resolution_s = 0;  // smallest step seen between two different readings
  double overhead_s = 0;    // median cost of one reading
};

// Measures by reading the clock some ten thousand times (below 2 ms).
ClockQuality measure(const Clock& clock);

}  // namespace stressbench
