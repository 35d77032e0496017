// Busy-waiting and sleeping in place of an application's computation.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "core/parameter.hpp"
#include "core/recorder.hpp"

namespace stressbench {

// How the time of computation is spent: until that much time has passed, or this thread has used that much processor
// time, in a busy loop; asleep; not at all.
enum class Computation { busy, cpu, sleep, off };

namespace pause {

// Shorter times are spent in a busy loop, because waking up would take too large a share of a sleep.
inline constexpr std::int64_t shortest_sleep_ns = 100'000;

// Sets the timer slack of this thread to its minimum. By default the kernel may wake a thread up to 50 us late.
void minimise_timer_slack() noexcept;
// The clock of the computation: the recorder's, or the processor time of this thread.
inline std::int64_t now_ns(Computation how, const Recorder& recorder) noexcept {
  return how == Computation::cpu ? CpuClock{}.now_ns() : recorder.now_ns();
}
// Waits until that clock shows `end_ns`; returns at once with Computation::off.
inline void until(Computation how, const Recorder& recorder, std::int64_t end_ns) noexcept {
  if (how == Computation::sleep) {
    const std::int64_t left_ns = end_ns - recorder.now_ns();
    if (left_ns >= shortest_sleep_ns) return sleep_for(left_ns);
  }
  if (how == Computation::cpu) return CpuClock{}.spin_until(end_ns);
  if (how != Computation::off) recorder.spin_until(end_ns);
}

}  // namespace pause
}  // namespace stressbench
