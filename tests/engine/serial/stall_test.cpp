// Detection of ranks without progress.
#include "scheduler/stall.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>

#include "core/error.hpp"
#include "scheduler/rank_status.hpp"

namespace stressbench::scheduler::stall {
namespace {

using namespace std::chrono_literals;

constexpr auto long_enough = 30s;  // a passing test never waits this long

// Number of checks until a stall is detected, at most `most`.
int checks_until_stalled(StallDetector& detector, std::uint64_t moves, bool watched, int most) {
  for (int check = 1; check <= most; ++check) {
    if (detector.observe(moves, watched)) return check;
  }
  return 0;
}

TEST(StallDetector, StallsAfterItsChecks) {
  StallDetector detector;
  EXPECT_EQ(checks_until_stalled(detector, 7, true, 100), 1 + StallDetector::checks);
}

TEST(StallDetector, AnyProgressStartsAgain) {
  StallDetector detector;
  for (std::uint64_t moves = 1; moves < 100; ++moves) {
    EXPECT_EQ(checks_until_stalled(detector, moves, true, StallDetector::checks), 0);
  }
}

TEST(StallDetector, DoesNotCountWhileSuspended) {
  StallDetector detector;
  EXPECT_EQ(checks_until_stalled(detector, 7, false, 100), 0);
  EXPECT_EQ(checks_until_stalled(detector, 7, true, 100), StallDetector::checks);
}

TEST(Stall, IsNoticedOnce) {
  std::atomic<int> given_up = 0;
  std::promise<void> noticed;
  {
    const Watchdog watch(8ms, [&] {
      if (++given_up == 1) noticed.set_value();
    });
    EXPECT_EQ(noticed.get_future().wait_for(long_enough), std::future_status::ready);
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(given_up, 1);
}

TEST(Stall, IsNoticedAfterWaitingForOthersIsOver) {
  std::promise<void> noticed;
  const Watchdog watch(8ms, [&] { noticed.set_value(); });
  { const WatchdogSuspension waiting; }
  EXPECT_EQ(noticed.get_future().wait_for(long_enough), std::future_status::ready);
}

TEST(Stall, WatchesThatAreNoLongerNeededEndAtOnce) {
  const Watchdog watch(std::chrono::hours{1}, [] { FAIL(); });
}

TEST(StallDeathTest, NamesJobMotifRankAndRound) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto end = [] {
    RankStatus& here = rank_status();
    here = {"TeaLeaf", 1, "halo2d", 3, 5, true};
    end_program(Nanoseconds{60'000'000'000}, "h1", [](const Fault&) {});
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(exit_machine_fault),
              "no progress for 60s \\(job TeaLeaf, motif halo2d, rank 3 on host h1, round 5\\)");
}

TEST(StallDeathTest, GivesTheRecordBeforeTheProgramEnds) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto end = [] {
    rank_status() = {"TeaLeaf", 1, "halo2d", 3, 5, true};
    end_program(Nanoseconds{60'000'000'000}, "h1", [](const Fault& fault) {
      if (fault.job == 1 && fault.motif == "halo2d" && fault.rank == 3 && fault.host == "h1" && fault.round == 5)
        std::fprintf(stderr, "record: %s\n", fault.cause.c_str());
    });
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(exit_machine_fault), "record: no progress for 60s: a link");
}

}  // namespace
}  // namespace stressbench::scheduler::stall
