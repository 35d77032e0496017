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

constexpr std::chrono::seconds report_delay{2};

}  // namespace

WatchdogSuspension::WatchdogSuspension() noexcept { suspensions.fetch_add(1, std::memory_order_relaxed); }
WatchdogSuspension::~WatchdogSuspension() {
  progress::advance();
  suspensions.fetch_sub(1, std::memory_order_relaxed);
}

Watchdog::Watchdog(std::chrono::nanoseconds limit, std::function<void()> on_stall)
    : thread_([this, limit, action = std::move(on_stall)] { check(limit, action); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  stop_signal_.notify_all();
  thread_.join();
}

bool StallDetector::observe(std::uint64_t progress_count, bool is_watched) noexcept {
  unchanged_checks_ = is_watched && progress_count == last_progress_ ? unchanged_checks_ + 1 : 0;
  last_progress_ = progress_count;
  return unchanged_checks_ >= checks;
}

void Watchdog::check(std::chrono::nanoseconds limit, const std::function<void()>& on_stall) {
  StallDetector detector;
  std::unique_lock lock{mutex_};
  while (!stop_signal_.wait_for(lock, limit / StallDetector::checks, [this] { return stopping_; })) {
    if (!detector.observe(progress::counter(), suspensions.load(std::memory_order_relaxed) == 0)) {
      continue;
    }
    lock.unlock();
    on_stall();
    return;
  }
}

void end_program(Nanoseconds limit, const std::string& host, const FaultListener& listener) {
  const RankStatus& status = rank_status();
  if (!status.reports_signals) std::this_thread::sleep_for(report_delay);
  const std::string stalled = fmt::format("no progress for {}", units::spell(limit));
  constexpr std::string_view reason = "a link may be down or a rank may have ended, and MPI would wait forever";
  listener(fault_of(status, host, fmt::format("{}: {}", stalled, reason)));
  console::print(stderr, "stressbench-mpi: {} ({}): {}; the run ends, and completed rounds are kept (--stall-limit)\n",
                 stalled, describe(status, host), reason);
  std::fflush(stderr);
  _exit(exit_machine_fault);
}

}  // namespace stressbench::scheduler::stall
