#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stressbench {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(*quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(*quantile({4, 1, 3, 2}, 0.0), 1);
  EXPECT_DOUBLE_EQ(*quantile({4, 1, 3, 2}, 1.0), 4);
  EXPECT_DOUBLE_EQ(*quantile({10, 20}, 0.25), 12.5);
}

TEST(Quantile, NothingOfNothing) { EXPECT_FALSE(median({})); }

std::vector<Pair> with_ratios(const std::vector<double>& ratios) {
  std::vector<Pair> blocks;
  for (const double ratio : ratios) blocks.push_back({1, ratio});
  return blocks;
}

TEST(CongestionImpact, OfEqualRatiosIsThatRatioWithoutWidth) {
  const auto impact = congestion_impact(with_ratios({2, 2, 2, 2, 2, 2}));
  ASSERT_TRUE(impact && impact->interval);
  EXPECT_NEAR(impact->estimate, 2, 1e-12);
  EXPECT_NEAR(impact->interval->low, 2, 1e-12);
  EXPECT_NEAR(impact->interval->high, 2, 1e-12);
}

TEST(CongestionImpact, PairingCancelsDrift) {  // the machine becomes three times as slow; the impact stays 1.5
  std::vector<Pair> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back({1.0 + 0.2 * i, 1.5 * (1.0 + 0.2 * i)});
  const auto impact = congestion_impact(blocks);
  ASSERT_TRUE(impact && impact->interval);
  EXPECT_LT(impact->interval->high - impact->interval->low, 1e-9);
}

TEST(CongestionImpact, OneWildBlockDoesNotMoveIt) {
  const auto impact = congestion_impact(with_ratios({1, 1, 1, 1, 1, 1, 1, 1, 1, 1000}));
  ASSERT_TRUE(impact && impact->interval);
  EXPECT_DOUBLE_EQ(impact->estimate, 1);
  EXPECT_DOUBLE_EQ(impact->interval->low, 1);
}

TEST(CongestionImpact,
     IntervalIsWilcoxons) {  // tables: for 6 pairs the extremes, for 8 the 4th pairwise mean from either end
  const auto six = congestion_impact(with_ratios({1, 2, 4, 8, 16, 32}));
  ASSERT_TRUE(six && six->interval);
  EXPECT_NEAR(six->interval->low, 1, 1e-12);
  EXPECT_NEAR(six->interval->high, 32, 1e-9);
  const auto eight = congestion_impact(with_ratios({1, 2, 4, 8, 16, 32, 64, 128}));
  ASSERT_TRUE(eight && eight->interval);
  EXPECT_NEAR(std::log2(eight->interval->low), 1, 1e-9);  // 0, 0.5, 1, 1: means of (0,0) (0,1) (0,2) (1,1)
  EXPECT_NEAR(std::log2(eight->interval->high), 6, 1e-9);
}

TEST(CongestionImpact, ManyBlocksUseTheNormalApproximation) {
  std::vector<double> ratios;
  for (int i = 0; i < 101; ++i) ratios.push_back(std::exp2(i / 100.0));
  const auto impact = congestion_impact(with_ratios(ratios));
  ASSERT_TRUE(impact && impact->interval);
  EXPECT_NEAR(std::log2(impact->estimate), 0.5, 1e-9);
  EXPECT_NEAR(std::log2(impact->interval->high) - 0.5, 0.06, 0.01);
}

TEST(CongestionImpact, FewerThanSixBlocksHaveNoInterval) {
  const auto impact = congestion_impact(with_ratios({1, 2, 3, 4, 5}));
  ASSERT_TRUE(impact);
  EXPECT_FALSE(impact->interval);
}

TEST(CongestionImpact, UnknownWhereItCannotBeHad) {
  EXPECT_FALSE(congestion_impact({}));
  EXPECT_FALSE(congestion_impact(std::vector<Pair>{{1, 2}, {0, 2}}));
}

}  // namespace
}  // namespace stressbench
