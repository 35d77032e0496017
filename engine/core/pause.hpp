// How a rank spends the time in which an application computes.
#pragma once

#include <array>
#include <cstdint>

#include "core/clock.hpp"
#include "core/parameter.hpp"
#include "core/recorder.hpp"

namespace stressbench {

enum class Computation { busy, sleep, off };
template <>
struct Names<Computation> {
  static constexpr std::array values{std::pair{std::string_view{"busy"}, Computation::busy},
                                     std::pair{std::string_view{"sleep"}, Computation::sleep},
                                     std::pair{std::string_view{"off"}, Computation::off}};
};

namespace pause {

// Below, waking up takes too large a share of a sleep: such times are spun away.
inline constexpr std::int64_t shortest_sleep_ns = 100'000;

// The kernel may wake a sleeper up to 50 us late, to save wake-ups; asks it not to, for this thread.
void wake_on_time() noexcept;
// Until the recorder's clock shows `end_ns`.
inline void until(Computation how, const Recorder& recorder, std::int64_t end_ns) noexcept {
  if (how == Computation::sleep) {
    const std::int64_t left_ns = end_ns - recorder.now_ns();
    if (left_ns >= shortest_sleep_ns) return sleep_for(left_ns);
  }
  if (how != Computation::off) recorder.spin_until(end_ns);
}

}  // namespace pause
}  // namespace stressbench
