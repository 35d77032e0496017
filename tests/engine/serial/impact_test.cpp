#include "scheduler/impact.hpp"

#include <gtest/gtest.h>

#include "scheduler/stopping/interval.hpp"

namespace stressbench::scheduler {
namespace {

void tell_round(ImpactTracker& tracker, int block, RoundKind kind, int job, const std::vector<double>& times) {
  for (const double time : times) {
    Sample sample;
    sample.job = job;
    sample.head.phase = Phase::measured;
    sample.time.max = time;
    tracker.on_sample(sample);
  }
  RoundRecord record;
  record.round = {1, block, kind, kind == RoundKind::isolated ? job : -1};
  tracker.on_round(record);
}

void tell_blocks(ImpactTracker& tracker, const std::vector<double>& ratios) {
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    tell_round(tracker, static_cast<int>(i), RoundKind::isolated, 0, {1, 1, 1});
    tell_round(tracker, static_cast<int>(i), RoundKind::contended, 0, {ratios[i]});
  }
}

TEST(ImpactTracker, TakesEachRoundsMedianOfMeasuredJobTimes) {
  ImpactTracker tracker;
  tell_round(tracker, 0, RoundKind::isolated, 0, {1, 100, 2});
  EXPECT_EQ(tracker.medians(0, RoundKind::isolated), (std::vector<double>{2}));
}

TEST(ImpactTracker, LeavesOutStepsWarmUpAndExtras) {
  ImpactTracker tracker;
  Sample step;
  step.step = 0;
  step.head.phase = Phase::measured;
  tracker.on_sample(step);
  for (const Phase phase : {Phase::warmup, Phase::extra}) {
    Sample sample;
    sample.head.phase = phase;
    tracker.on_sample(sample);
  }
  tell_round(tracker, 0, RoundKind::isolated, 0, {5});
  EXPECT_EQ(tracker.medians(0, RoundKind::isolated), (std::vector<double>{5}));
}

TEST(ImpactTracker, PairsOnlyBlocksThatHoldBothKinds) {
  ImpactTracker tracker;
  tell_round(tracker, 0, RoundKind::isolated, 0, {1});
  tell_round(tracker, 1, RoundKind::isolated, 0, {2});
  tell_round(tracker, 1, RoundKind::contended, 0, {6});
  ASSERT_EQ(tracker.pairs(0).size(), 1U);
  EXPECT_EQ(tracker.pairs(0)[0].isolated, 2);
  EXPECT_EQ(tracker.pairs(0)[0].contended, 6);
}

TEST(ImpactTracker, ForgetsWhatAnUnfinishedRoundSaidWhenALaunchBegins) {
  ImpactTracker tracker;
  Sample lost;
  lost.head.phase = Phase::measured;
  lost.time.max = 1000;
  tracker.on_sample(lost);
  tracker.on_header({});
  tell_round(tracker, 0, RoundKind::isolated, 0, {1});
  EXPECT_EQ(tracker.medians(0, RoundKind::isolated), (std::vector<double>{1}));
}

TEST(StoppingAtInterval, WantsSixBlocksHoweverNarrow) {
  ImpactTracker tracker;
  tell_blocks(tracker, {2, 2, 2, 2, 2});
  EXPECT_FALSE((stopping::Interval{0.05, {0}}.reached(tracker)));
  tell_blocks(tracker, {2, 2, 2, 2, 2, 2});
  EXPECT_TRUE((stopping::Interval{0.05, {0}}.reached(tracker)));
}

TEST(StoppingAtInterval, ComparesTheWholeWidthWithTheEstimate) {  // six blocks: from the smallest ratio to the largest
  ImpactTracker tracker;
  tell_blocks(tracker, {1.9, 2, 2, 2, 2, 2.1});
  EXPECT_TRUE((stopping::Interval{0.11, {0}}.reached(tracker)));
  EXPECT_FALSE((stopping::Interval{0.09, {0}}.reached(tracker)));
}

TEST(StoppingAtInterval, WaitsForEveryJob) {
  ImpactTracker tracker;
  tell_blocks(tracker, {2, 2, 2, 2, 2, 2});
  EXPECT_FALSE((stopping::Interval{0.05, {0, 1}}.reached(tracker)));
}

}  // namespace
}  // namespace stressbench::scheduler
