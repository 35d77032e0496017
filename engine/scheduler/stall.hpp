// A link is cut for good, a rank is gone, and the MPI library waits for ever: a rank that has not moved on
// (core/progress.hpp) for a stated time ends its program, which ends the launch. Rounds before are in the file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/units.hpp"

namespace stressbench::scheduler::stall {

// What may take any time while this lives: others measure.
class WatchdogSuspension {
 public:
  WatchdogSuspension() noexcept;
  ~WatchdogSuspension();
  WatchdogSuspension(const WatchdogSuspension&) = delete;
  WatchdogSuspension& operator=(const WatchdogSuspension&) = delete;
};

// How many looks in a row a rank was seen where it was before. Looks are counted and no clock is read: a rank that was
// stopped for a while (SIGSTOP, a suspended machine) was not stuck.
class StallDetector {
 public:
  static constexpr int looks = 8;
  // True with the look after `looks` others that saw neither a move nor a wait for others.
  bool observe(std::uint64_t moves, bool watched) noexcept;

 private:
  std::uint64_t seen_ = 0;
  int still_ = -1;
};

// Looks a few times within `limit` whether the rank has moved on; calls `give_up`, once, where it has not for so long.
class Watchdog {
 public:
  // A thread of its own, which calls nothing of MPI.
  Watchdog(std::chrono::nanoseconds limit, std::function<void()> give_up);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void look(std::chrono::nanoseconds limit, const std::function<void()>& give_up);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

// Says on stderr where this rank is stuck, if it is one of those that speak for their job, and ends the program with
// status 3. The others do so a little later, so that the word is out first.
[[noreturn]] void end_program(Nanoseconds limit, const std::string& host);

}  // namespace stressbench::scheduler::stall
