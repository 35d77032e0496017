#include "core/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/random.hpp"

namespace stressbench {
namespace {

constexpr std::int64_t longest = (std::int64_t{1} << Histogram::top_bit) - 1;

TEST(Histogram, BucketsFollowEachOtherWithoutGaps) {
  for (std::size_t bucket = 0; bucket < Histogram::buckets; ++bucket) {
    ASSERT_EQ(Histogram::bucket_of(Histogram::lower_ns(bucket)), bucket);
    ASSERT_EQ(Histogram::bucket_of(Histogram::upper_ns(bucket) - 1), bucket);
  }
  EXPECT_EQ(Histogram::lower_ns(0), 0);
  EXPECT_EQ(Histogram::upper_ns(Histogram::buckets - 1), longest + 1);
}

TEST(Histogram, NoBucketIsWiderThanItsShareOfTheLowerEdge) {
  for (std::size_t bucket = 1; bucket < Histogram::buckets; ++bucket) {
    const auto lower = Histogram::lower_ns(bucket);
    const auto width = Histogram::upper_ns(bucket) - lower;
    ASSERT_TRUE(width == 1 || width * 128 <= lower) << lower;
  }
}

TEST(Histogram, CountsWhatIsOutOfRangeAtItsEnds) {
  EXPECT_EQ(Histogram::bucket_of(-5), 0u);
  EXPECT_EQ(Histogram::bucket_of(longest + 1), Histogram::buckets - 1);
  EXPECT_EQ(Histogram::bucket_of(std::numeric_limits<std::int64_t>::max()), Histogram::buckets - 1);
}

TEST(Histogram, QuantilesAreWithinOnePercentOfTheSortedDurations) {
  Histogram histogram;
  std::vector<std::int64_t> durations;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    // Seven decades, from 100 ns to 1 s.
    const auto duration = static_cast<std::int64_t>(100 * std::pow(10.0, 7 * random_unit({.seed = 8, .execution = i})));
    durations.push_back(duration);
    histogram.record(duration);
  }
  std::ranges::sort(durations);
  for (const double q : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(durations[static_cast<std::size_t>(q * 10'000 + 0.5) - 1]);
    EXPECT_NEAR(histogram.quantile_ns(q) / exact, 1.0, 0.005) << q;
  }
}

TEST(Histogram, IsExactBelow256Nanoseconds) {
  Histogram histogram;
  for (const std::int64_t duration : {7, 7, 200, 255}) histogram.record(duration);
  EXPECT_EQ(histogram.quantile_ns(0.0), 7.0);
  EXPECT_EQ(histogram.quantile_ns(0.5), 7.0);
  EXPECT_EQ(histogram.quantile_ns(0.6), 200.0);
  EXPECT_EQ(histogram.quantile_ns(0.75), 200.0);
  EXPECT_EQ(histogram.quantile_ns(1.0), 255.0);
}

TEST(Histogram, OfNothingHasNoTotalAndZeroQuantiles) {
  Histogram histogram;
  EXPECT_EQ(histogram.total(), 0u);
  EXPECT_EQ(histogram.quantile_ns(0.5), 0.0);
  histogram.record(3);
  EXPECT_EQ(histogram.total(), 1u);
  histogram.clear();
  EXPECT_EQ(histogram.total(), 0u);
}

TEST(Histogram, MergesByAddingCounts) {
  Histogram a;
  Histogram b;
  Histogram both;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto duration = static_cast<std::int64_t>(random_below({.execution = i}, 1'000'000));
    (i % 2 ? a : b).record(duration);
    both.record(duration);
  }
  for (std::size_t bucket = 0; bucket < Histogram::buckets; ++bucket) a.counts()[bucket] += b.counts()[bucket];
  EXPECT_TRUE(std::ranges::equal(a.counts(), both.counts()));
}

}  // namespace
}  // namespace stressbench
