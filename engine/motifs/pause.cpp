#include "motifs/pause.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <cerrno>

namespace stressbench::pause {

void wake_on_time() noexcept { prctl(PR_SET_TIMERSLACK, 1UL); }

void sleep_for(std::int64_t duration_ns) noexcept {
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  const std::int64_t nanoseconds = end.tv_nsec + duration_ns;
  end.tv_sec += nanoseconds / 1'000'000'000;
  end.tv_nsec = nanoseconds % 1'000'000'000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {
  }
}

}  // namespace stressbench::pause
