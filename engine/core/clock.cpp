#include "core/clock.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace stressbench {

const char* const monotonic_source = "CLOCK_MONOTONIC";

namespace {

std::int64_t reading_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t MonotonicClock::now_ns() const noexcept { return reading_ns(CLOCK_MONOTONIC); }
void MonotonicClock::spin_until(std::int64_t end_ns) const noexcept { Clock::spin_until(end_ns); }

std::int64_t CpuClock::now_ns() const noexcept { return reading_ns(CLOCK_THREAD_CPUTIME_ID); }

void sleep_for(std::int64_t duration_ns) noexcept {
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  const std::int64_t nanoseconds = end.tv_nsec + duration_ns;
  end.tv_sec += nanoseconds / 1'000'000'000;
  end.tv_nsec = nanoseconds % 1'000'000'000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {
  }
}

ClockQuality measure(const Clock& clock) {
  constexpr int batches = 101;  // odd: the median is one of them
  constexpr int readings = 100;
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, batches> spans{};
  std::int64_t smallest_step = none;
  for (auto& span : spans) {
    const std::int64_t first = clock.now_ns();
    std::int64_t before = first;
    for (int i = 0; i < readings; ++i) {
      const std::int64_t now = clock.now_ns();
      if (now > before) smallest_step = std::min(smallest_step, now - before);
      before = now;
    }
    span = before - first;
  }
  auto* const middle = spans.data() + batches / 2;
  std::nth_element(spans.data(), middle, spans.data() + batches);
  return {.resolution_s = smallest_step == none ? 0.0 : static_cast<double>(smallest_step) * 1e-9,
          .overhead_s = static_cast<double>(*middle) / readings * 1e-9};
}

}  // namespace stressbench
