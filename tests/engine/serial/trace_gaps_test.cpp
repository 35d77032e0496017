// The computation between calls, with the times of a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "trace/gaps.hpp"

namespace stressbench::trace {
namespace {

using testing::Each;
using testing::ElementsAre;

// Bucket 9 holds [1024, 1448) ns, bucket 10 [1448, 2048), bucket 17 [16384, 23170).
const Gap skewed{0, 1, 1000, 3e-3, 1.1e-6, 20e-6, {{9, 700}, {10, 200}, {17, 100}}};

std::vector<std::int64_t> taken(Gaps& gaps, int before, int call, int count) {
  std::vector<std::int64_t> times;
  for (int i = 0; i < count; ++i) times.push_back(gaps.next(before, call));
  return times;
}
std::int64_t sum(const std::vector<std::int64_t>& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

TEST(TraceGaps, MeasuredTimesHaveTheMeanExactly) {
  Gaps gaps({skewed}, 2, GapTimes::measured, 1.0, {});
  EXPECT_EQ(sum(taken(gaps, 0, 1, 256)), 256 * 3000);
}

TEST(TraceGaps, MeasuredTimesAreSpreadAsTheHistogram) {
  const auto times = times_from_histogram(skewed, 100, 1.0);
  // Seven in ten are short; one in ten is more than ten times as long.
  EXPECT_LT(times[89], 2 * times[0]);
  EXPECT_GT(times[90], 8 * times[69]);
  EXPECT_GT(std::set(times.begin(), times.end()).size(), 80u);
}

TEST(TraceGaps, EveryTimeThatFewCallsHadIsGivenOnceARound) {
  const Gap few{0, 1, 3, 9e-6, 1e-6, 6e-6, {{9, 1}, {10, 1}, {13, 1}}};
  Gaps gaps({few}, 2, GapTimes::measured, 1.0, {});
  auto round = taken(gaps, 0, 1, 3);
  EXPECT_EQ(sum(round), 9000);
  EXPECT_EQ(taken(gaps, 0, 1, 3), round);
}

TEST(TraceGaps, TheMeanIsGivenEachTimeWhereThatIsAskedFor) {
  Gaps gaps({skewed}, 2, GapTimes::mean, 1.0, {});
  EXPECT_THAT(taken(gaps, 0, 1, 5), Each(3000));
}

TEST(TraceGaps, AreMultipliedByTheScale) {
  Gaps gaps({skewed}, 2, GapTimes::measured, 2.5, {});
  EXPECT_EQ(sum(taken(gaps, 0, 1, 256)), 256 * 7500);
}

TEST(TraceGaps, OrderIsDrawnFromTheStreamAndNothingElse) {
  Gaps one({skewed}, 2, GapTimes::measured, 1.0, {.seed = 1, .stream = 3});
  Gaps same({skewed}, 2, GapTimes::measured, 1.0, {.seed = 1, .stream = 3});
  Gaps other({skewed}, 2, GapTimes::measured, 1.0, {.seed = 2, .stream = 3});
  const auto times = taken(one, 0, 1, 256);
  EXPECT_EQ(taken(same, 0, 1, 256), times);
  EXPECT_NE(taken(other, 0, 1, 256), times);
  EXPECT_FALSE(std::ranges::is_sorted(times));
}

TEST(TraceGaps, BelongToACallAndTheOneBeforeIt) {
  const auto gap = [](int before, int after, double seconds) {
    return Gap{before, after, 1, seconds, seconds, seconds, {{0, 1}}};
  };
  Gaps gaps({gap(-1, 0, 1e-6), gap(0, 1, 2e-6), gap(1, 1, 3e-6), gap(1, 3, 4e-6), gap(0, 3, 5e-6)}, 4,
            GapTimes::measured, 1.0, {});
  const std::vector<std::int64_t> found{gaps.next(-1, 0), gaps.next(0, 1), gaps.next(1, 1), gaps.next(1, 3),
                                        gaps.next(0, 3),  gaps.next(3, 0), gaps.next(0, 2)};
  EXPECT_THAT(found, ElementsAre(1000, 2000, 3000, 4000, 5000, 0, 0));
}

TEST(TraceGaps, OfNoTimeAtAllAreNone) {
  Gaps gaps({Gap{0, 1, 5, 0, 0, 0, {{0, 5}}}}, 2, GapTimes::measured, 1.0, {});
  EXPECT_THAT(taken(gaps, 0, 1, 5), Each(0));
}

TEST(TraceGaps, KnowTheBucketThatCountsATime) {
  EXPECT_EQ(bucket_of(0), 0);
  EXPECT_EQ(bucket_of(63.9e-9), 0);
  EXPECT_EQ(bucket_of(64.1e-9), 1);
  EXPECT_EQ(bucket_of(90e-9), 1);
  EXPECT_EQ(bucket_of(91e-9), 2);
  EXPECT_EQ(bucket_of(1.1e-6), 9);
  EXPECT_EQ(bucket_of(20e-6), 17);
  EXPECT_EQ(bucket_of(1e300), 200);
}

TEST(TraceGaps, RefuseWhatNoTraceHolds) {
  EXPECT_THROW(Gaps({Gap{0, 2, 1, 0, 0, 0, {}}}, 2, GapTimes::measured, 1.0, {}), UserMistake);
  EXPECT_THROW(Gaps({Gap{0, 1, 0, 0, 0, 0, {}}}, 2, GapTimes::measured, 1.0, {}), UserMistake);
  EXPECT_THROW(Gaps({Gap{0, 1, 1, 0, 0, 0, {{3000, 1}}}}, 2, GapTimes::measured, 1.0, {}), UserMistake);
}

}  // namespace
}  // namespace stressbench::trace
