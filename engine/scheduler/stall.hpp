// Ends the launch if it is stuck because a link is down or a rank has ended, and MPI would wait forever: a
// rank without progress (core/progress.hpp) for a given time ends its program. Completed rounds are in the file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/units.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler::stall {

// While this lives, waiting does not count as a stall: other jobs measure.
class WatchdogSuspension {
 public:
  WatchdogSuspension() noexcept;
  ~WatchdogSuspension();
  WatchdogSuspension(const WatchdogSuspension&) = delete;
  WatchdogSuspension& operator=(const WatchdogSuspension&) = delete;
};

// Detects that a rank made no progress over several checks. Checks are counted, and no clock is read: a rank that was
// stopped for a while (SIGSTOP, a suspended machine) was not stuck.
class StallDetector {
 public:
  static constexpr int checks = 8;
  // True after `checks` consecutive checks without progress in which the watchdog was not suspended.
  bool observe(std::uint64_t moves, bool watched) noexcept;

 private:
  std::uint64_t seen_ = 0;
  int still_ = -1;
};

// Checks a few times per `limit` whether the rank made progress, and calls `give_up` once if it did not for that long.
class Watchdog {
 public:
  // Starts a thread, which makes no MPI calls.
  Watchdog(std::chrono::nanoseconds limit, std::function<void()> give_up);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void check(std::chrono::nanoseconds limit, const std::function<void()>& give_up);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

// Tells `listener` and stderr where this rank is stuck and ends the program with status 3. Ranks that do not report for
// their job wait a little first, so that the ranks that do are heard.
[[noreturn]] void end_program(Nanoseconds limit, const std::string& host, const FaultListener& listener);

}  // namespace stressbench::scheduler::stall
