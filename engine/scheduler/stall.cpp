#include "scheduler/stall.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <utility>

#include "core/console.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "scheduler/rank_status.hpp"

namespace stressbench::scheduler::stall {
namespace {

std::atomic<int> suspensions{0};

constexpr std::chrono::seconds silence{2};

}  // namespace

WatchdogSuspension::WatchdogSuspension() noexcept { suspensions.fetch_add(1, std::memory_order_relaxed); }
WatchdogSuspension::~WatchdogSuspension() {
  progress::moved();
  suspensions.fetch_sub(1, std::memory_order_relaxed);
}

Watchdog::Watchdog(std::chrono::nanoseconds limit, std::function<void()> give_up)
    : thread_([this, limit, act = std::move(give_up)] { check(limit, act); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock{mutex_};
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

bool StallDetector::observe(std::uint64_t moves, bool watched) noexcept {
  still_ = watched && moves == seen_ ? still_ + 1 : 0;
  seen_ = moves;
  return still_ >= checks;
}

void Watchdog::check(std::chrono::nanoseconds limit, const std::function<void()>& give_up) {
  StallDetector detector;
  std::unique_lock lock{mutex_};
  while (!ended_.wait_for(lock, limit / StallDetector::checks, [this] { return over_; })) {
    if (!detector.observe(progress::moves(), suspensions.load(std::memory_order_relaxed) == 0)) {
      continue;
    }
    lock.unlock();
    give_up();
    return;
  }
}

void end_program(Nanoseconds limit, const std::string& host, const FaultListener& listener) {
  const RankStatus& here = rank_status();
  if (!here.reports_signals) std::this_thread::sleep_for(silence);
  const std::string stalled = fmt::format("no progress for {}", units::spell(limit));
  constexpr std::string_view reason = "a link may be down or a rank may have ended, and MPI would wait forever";
  listener(fault_of(here, host, fmt::format("{}: {}", stalled, reason)));
  console::print(stderr, "stressbench-mpi: {} ({}): {}; the run ends, and completed rounds are kept (--stall-limit)\n",
                 stalled, describe(here, host), reason);
  std::fflush(stderr);
  _exit(exit_machine_fault);
}

}  // namespace stressbench::scheduler::stall
