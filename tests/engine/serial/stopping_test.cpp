#include <gtest/gtest.h>

#include "scheduler/round_queue.hpp"
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
