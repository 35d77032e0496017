// Simulated time of SimGrid: it stands still while a rank executes code, and advances while ranks wait for each other
// or for messages.
#include "core/clock.hpp"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include <cmath>

namespace stressbench {

const char* const monotonic_source = "SimGrid";

std::int64_t MonotonicClock::now_ns() const noexcept { return std::llround(simgrid_get_clock() * 1e9); }

// A busy-wait would never end, since simulated time does not advance in it.
void MonotonicClock::spin_until(std::int64_t end_ns) const noexcept { sleep_for(end_ns - now_ns()); }

std::int64_t CpuClock::now_ns() const noexcept { return MonotonicClock{}.now_ns(); }

void sleep_for(std::int64_t duration_ns) noexcept {
  if (duration_ns > 0) sg_actor_sleep_for(static_cast<double>(duration_ns) * 1e-9);
}

// Not measured: readings are rounded to a nanosecond and cost no simulated time.
ClockQuality measure(const Clock&) { return {.resolution_s = 1e-9, .overhead_s = 0}; }

}  // namespace stressbench
