// Busy-waiting and sleeping in place of an application's computation.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "core/parameter.hpp"
#include "core/recorder.hpp"

namespace stressbench {

enum class Computation { busy, sleep, off };

namespace pause {

// Shorter times are spent in a busy loop, because waking up would take too large a share of a sleep.
inline constexpr std::int64_t shortest_sleep_ns = 100'000;

// Sets the timer slack of this thread to its minimum. By default the kernel may wake a thread up to 50 us late.
void minimise_timer_slack() noexcept;
// Waits until the recorder's clock shows `end_ns`; returns at once with Computation::off.
inline void until(Computation how, const Recorder& recorder, std::int64_t end_ns) noexcept {
  if (how == Computation::sleep) {
    const std::int64_t left_ns = end_ns - recorder.now_ns();
    if (left_ns >= shortest_sleep_ns) return sleep_for(left_ns);
  }
  if (how != Computation::off) recorder.spin_until(end_ns);
}

}  // namespace pause
}  // namespace stressbench
