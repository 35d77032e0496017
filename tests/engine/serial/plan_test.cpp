#include "scheduler/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace stressbench::scheduler {
namespace {

std::vector<Round> all_rounds(const Plan& plan) {
  std::vector<Round> rounds;
  for (int block = 0; block < plan.blocks(); ++block) {
    for (const Round& round : plan.block(block)) rounds.push_back(round);
  }
  return rounds;
}

std::map<int, int> times_by_job(const std::vector<Round>& rounds) {
  std::map<int, int> times;
  for (const Round& round : rounds) ++times[round.job];
  return times;
}

TEST(Plan, EveryBlockHoldsEachMeasuredJobAloneAndOneContendedRound) {
  const Plan plan{{0, 2}, {4, 4}, 1};
  for (int block = 0; block < 4; ++block) {
    std::vector<int> jobs;
    for (const Round& round : plan.block(block)) jobs.push_back(round.job);
    EXPECT_THAT(jobs, testing::UnorderedElementsAre(-1, 0, 2));
  }
}

TEST(Plan, RoundsAreNumberedFromOneWithoutGaps) {
  const Plan plan{{0, 1, 2}, {3, 5}, 7};
  const std::vector<Round> rounds = all_rounds(plan);
  ASSERT_EQ(static_cast<int>(rounds.size()), plan.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) EXPECT_EQ(rounds[i].number, static_cast<int>(i) + 1);
}

TEST(Plan, UnequalCountsAreSpreadOverTheBlocks) {  // the paper: 20 isolated, 30 contended
  const Plan plan{{0}, {20, 30}, 1};
  EXPECT_EQ(times_by_job(all_rounds(plan)), (std::map<int, int>{{-1, 30}, {0, 20}}));
  int isolated = 0;
  for (int block = 0; block < 15; ++block) isolated += times_by_job(plan.block(block))[0];
  EXPECT_EQ(isolated, 10);
}

TEST(Plan, TheSeedAloneDecidesTheOrder) {
  const Plan one{{0, 1, 2}, {20, 20}, 1};
  const Plan same{{0, 1, 2}, {20, 20}, 1};
  const Plan other{{0, 1, 2}, {20, 20}, 2};
  EXPECT_EQ(all_rounds(one), all_rounds(same));
  EXPECT_NE(all_rounds(one), all_rounds(other));
}

TEST(Plan, TheContendedRoundStandsAtEveryPlaceOfABlock) {
  const Plan plan{{0, 1, 2}, {200, 200}, 3};
  std::map<std::size_t, int> places;
  for (int block = 0; block < 200; ++block) {
    const std::vector<Round> rounds = plan.block(block);
    for (std::size_t i = 0; i < rounds.size(); ++i) places[i] += rounds[i].job < 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(places[i], 50, 25) << "place " << i;
}

TEST(Plan, NothingAloneWhereNoneIsAskedFor) {
  const Plan plan{{0, 1}, {0, 3}, 1};
  EXPECT_EQ(times_by_job(all_rounds(plan)), (std::map<int, int>{{-1, 3}}));
}

}  // namespace
}  // namespace stressbench::scheduler
