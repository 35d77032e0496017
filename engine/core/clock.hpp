// Clocks and sleep. The scheduler takes a Clock, so that tests can pass one whose time they control.
// Implemented in core/clock.cpp, and for simulations in core/simulated/clock.cpp: the build selects one of them.
#pragma once

#include <cstdint>

namespace stressbench {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since some fixed point of this host; never goes back.
  virtual std::int64_t now_ns() const noexcept = 0;
  // Busy-waits until the clock shows `end_ns`.
  virtual void spin_until(std::int64_t end_ns) const noexcept {
    while (now_ns() < end_ns) {
    }
  }
};

// CLOCK_MONOTONIC through the vDSO: about 20 ns per call. In a simulation, the simulated time.
class MonotonicClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override;
  void spin_until(std::int64_t end_ns) const noexcept override;
};
// Processor time that this thread has used; in a simulation, the simulated time.
class CpuClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override;
};
extern const char* const monotonic_source;  // "CLOCK_MONOTONIC"

// Sleeps, so that other processes can use the core.
void sleep_for(std::int64_t duration_ns) noexcept;

struct ClockQuality {
  double resolution_s = 0;  // smallest step seen between two different readings
  double overhead_s = 0;    // median cost of one reading
};

// Measures by reading the clock some ten thousand times (below 2 ms).
ClockQuality measure(const Clock& clock);

}  // namespace stressbench
