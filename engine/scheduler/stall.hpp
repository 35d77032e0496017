// Ends a launch that is stuck because a link is down or a rank has ended, in which case MPI would wait forever: a rank
// without progress (core/progress.hpp) for a given time ends its program. Completed rounds are in the file.
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

// While an object of this class exists, waiting does not count as a stall, since other jobs measure.
class WatchdogSuspension {
 public:
  WatchdogSuspension() noexcept;
  ~WatchdogSuspension();
  WatchdogSuspension(const WatchdogSuspension&) = delete;
  WatchdogSuspension& operator=(const WatchdogSuspension&) = delete;
};

// Detects that a rank made no progress over several checks. It counts checks instead of reading a clock, so that a
// rank that was stopped for a while (SIGSTOP, a suspended machine) does not count as stuck.
class StallDetector {
 public:
  static constexpr int checks = 8;
  // True after `checks` consecutive checks without progress in which the watchdog was not suspended.
  bool observe(std::uint64_t progress_count, bool is_watched) noexcept;

 private:
  std::uint64_t last_progress_ = 0;
  int unchanged_checks_ = -1;
};

// Checks several times per `limit` whether the rank made progress. Calls `on_stall` once if it made none for `limit`.
class Watchdog {
 public:
  // Starts a thread, which makes no MPI calls.
  Watchdog(std::chrono::nanoseconds limit, std::function<void()> on_stall);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void check(std::chrono::nanoseconds limit, const std::function<void()>& on_stall);

  std::mutex mutex_;
  std::condition_variable stop_signal_;
  bool stopping_ = false;
  std::thread thread_;
};

// Reports to `listener` and stderr where this rank is stuck and ends the program with status 3. Ranks that do not
// report for their job wait two seconds first, so that the messages of those that do are printed.
[[noreturn]] void end_program(Nanoseconds limit, const std::string& host, const FaultListener& listener);

}  // namespace stressbench::scheduler::stall
