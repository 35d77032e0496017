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

// Processor time is not read for shorter times: a reading is a system call, and a thread seldom loses its core in one.
inline constexpr std::int64_t shortest_cpu_ns = 20'000;

// Sets the timer slack of this thread to its minimum. By default the kernel may wake a thread up to 50 us late.
void minimise_timer_slack() noexcept;
// Works until `end_ns`, and longer by the time for which this thread did not have its core.
template <class Work>
void use_cpu(const Recorder& recorder, std::int64_t end_ns, Work work) noexcept {
  const auto work_until = [&](std::int64_t until_ns) {
    work(until_ns);
    recorder.spin_until(until_ns);
  };
  const std::int64_t duration_ns = end_ns - recorder.now_ns();
  if (duration_ns < shortest_cpu_ns) return work_until(end_ns);
  const CpuClock cpu;
  const std::int64_t cpu_end_ns = cpu.now_ns() + duration_ns;
  work_until(end_ns);
  for (std::int64_t left_ns = cpu_end_ns - cpu.now_ns(); left_ns > 0; left_ns = cpu_end_ns - cpu.now_ns())
    work_until(recorder.now_ns() + left_ns);
}
// Waits until the recorder's clock shows `end_ns`; returns at once with Computation::off. With Computation::cpu, the
// computation begins with this call. A thread that computes calls `work` with the time by which it should end, and
// spins afterwards.
template <class Work>
void until(Computation how, const Recorder& recorder, std::int64_t end_ns, Work work) noexcept {
  if (how == Computation::sleep) {
    const std::int64_t left_ns = end_ns - recorder.now_ns();
    if (left_ns >= shortest_sleep_ns) return sleep_for(left_ns);
  }
  if (how == Computation::cpu) return use_cpu(recorder, end_ns, work);
  if (how == Computation::busy) work(end_ns);
  if (how != Computation::off) recorder.spin_until(end_ns);
}
inline void until(Computation how, const Recorder& recorder, std::int64_t end_ns) noexcept {
  until(how, recorder, end_ns, [](std::int64_t) {});
}
// Whether computation of this kind uses the core.
constexpr bool computes(Computation how) noexcept { return how == Computation::busy || how == Computation::cpu; }

}  // namespace pause
}  // namespace stressbench
