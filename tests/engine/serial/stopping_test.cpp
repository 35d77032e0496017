#include <gtest/gtest.h>

#include "scheduler/round_queue.hpp"
#include "scheduler/stopping/end_of_plan.hpp"
#include "scheduler/stopping/listener_fault.hpp"
#include "scheduler/stopping/time_limit.hpp"

namespace stressbench::scheduler {
namespace {

constexpr Round isolated(int job) { return {1, 0, RoundKind::isolated, job}; }
constexpr Round contended{1, 0, RoundKind::contended, -1};

TEST(StoppingAtTimeLimit, ExpectsARoundToTakeAsLongAsTheLongestOfItsKindAndATenthMore) {
  stopping::TimeLimit limit{Nanoseconds{100'000'000'000}, 2};
  EXPECT_FALSE(limit.reached(contended, 99.0)) << "nothing is known yet";
  limit.observe(contended, 10.0);
  limit.observe(contended, 5.0);
  limit.observe(isolated(1), 1.0);
  EXPECT_FALSE(limit.reached(contended, 88.9));
  EXPECT_TRUE(limit.reached(contended, 89.1));
  EXPECT_FALSE(limit.reached(isolated(1), 98.8));
  EXPECT_TRUE(limit.reached(isolated(1), 98.95));
  EXPECT_FALSE(limit.reached(isolated(0), 99.9));
}

TEST(StoppingAtTimeLimit, NeverHappensWithoutALimit) {
  stopping::TimeLimit limit{std::nullopt, 1};
  limit.observe(contended, 1e9);
  EXPECT_FALSE(limit.reached(contended, 1e9));
}

TEST(StoppingAtEndOfPlan, WaitsForTheLastRoundOfTheLastBlock) {
  RoundQueue queue{Plan{{0}, {2, 2}, 1}, 0};
  const stopping::EndOfPlan end{queue};
  EXPECT_FALSE(end.reached()) << "no block is loaded yet";
  for (int block = 0; block < 2; ++block) {
    queue.load_block();
    EXPECT_FALSE(end.reached());
    while (!queue.empty()) queue.take();
    EXPECT_EQ(end.reached(), block == 1);
  }
}

TEST(StoppingAtListenerFault, RecordsTheRankHostAndCause) {
  class FullDisk final : public Listener {
    void on_event(const Event&) override { throw MachineFault("disk full"); }
  } disk;
  Machine machine;
  machine.table = {{"h1", std::nullopt, 1}};
  machine.node_of_rank = {0};
  RunReporter reporter{{&disk}};
  const stopping::ListenerFault fault{reporter};
  EXPECT_FALSE(fault.reached());
  reporter.event({});
  ASSERT_TRUE(fault.reached());
  const Fault record = fault.record(machine);
  EXPECT_EQ(record.cause, "disk full");
  EXPECT_EQ(record.host, "h1");
  EXPECT_EQ(record.rank, 0);
  EXPECT_EQ(record.job, std::nullopt);
  EXPECT_EQ(record.motif, std::nullopt);
}

TEST(RoundQueue, GivesAllRoundsOfThePlanBlockByBlock) {
  const Plan plan{{0}, {3, 3}, 1};
  RoundQueue queue{plan, 0};
  std::vector<int> numbers;
  while (queue.is_between_blocks()) {
    queue.load_block();
    while (!queue.empty()) numbers.push_back(queue.take().number);
  }
  EXPECT_EQ(numbers, (std::vector{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(queue.loaded_blocks(), 3);
  EXPECT_EQ(queue.planned(), 6);
}

TEST(RoundQueue, LeavesOutRoundsThatEarlierLaunchesCompleted) {
  RoundQueue queue{Plan{{0}, {3, 3}, 1}, 3};
  queue.load_block();
  EXPECT_TRUE(queue.empty());
  queue.load_block();
  ASSERT_FALSE(queue.empty());
  EXPECT_EQ(queue.front().number, 4);
}

}  // namespace
}  // namespace stressbench::scheduler
