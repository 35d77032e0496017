#include "core/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.hpp"

namespace stressbench {
namespace {

constexpr double mean = 350'000;
constexpr double deviation = 100'000;

struct Moments {
  double mean;
  double deviation;
  double least;
};

// Computed from the quantiles on a fine, even grid, without random numbers.
Moments moments(const Distribution& distribution) {
  constexpr int points = 200'000;
  double sum = 0;
  double squares = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < points; ++i) {
    const double value = distribution.quantile((i + 0.5) / points);
    sum += value;
    squares += value * value;
    least = std::min(least, value);
  }
  const double average = sum / points;
  return {average, std::sqrt(squares / points - average * average), least};
}

class Shapes : public testing::TestWithParam<Shape> {};

TEST_P(Shapes, HaveTheMeanAndDeviationAskedForWhereHardlyAnythingIsCutOff) {
  const auto [average, spread, least] = moments({GetParam(), mean, deviation});
  EXPECT_NEAR(average / mean, 1.0, 0.001);
  if (takes_deviation(GetParam())) {
    EXPECT_NEAR(spread / deviation, 1.0, 0.01);
  }
  EXPECT_GE(least, 0.0);
}

TEST_P(Shapes, HaveTheMeanTheySayWhereMuchIsCutOff) {
  const Distribution distribution(GetParam(), mean, 2 * mean);
  const auto [average, spread, least] = moments(distribution);
  EXPECT_NEAR(average / distribution.mean(), 1.0, 0.01);
  EXPECT_GE(least, 0.0);
}

TEST_P(Shapes, RiseWithTheQuantileAndStayFiniteToTheEnds) {
  const Distribution distribution(GetParam(), mean, 3 * mean);
  double before = 0.0;
  for (const double unit : {0x1p-53, 1e-9, 0.001, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9, 1 - 0x1p-53}) {
    const double value = distribution.quantile(unit);
    EXPECT_TRUE(std::isfinite(value)) << unit;
    EXPECT_GE(value, before) << unit;
    before = value;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Shapes,
                         testing::Values(Shape::constant, Shape::normal, Shape::exponential, Shape::gamma,
                                         Shape::lognormal, Shape::uniform));

TEST(Distribution, CutsTheNormalOffInsteadOfClippingIt) {
  // With mean = deviation, 16 % of the normal distribution is below zero. Clipping would move all of that to 0.
  const Distribution distribution(Shape::normal, mean, mean);
  EXPECT_GT(distribution.quantile(0.01), 0.0);
  EXPECT_LT(distribution.quantile(0.01), 0.05 * mean);
  // (F^-1 of F(0) + 0.5 (1 - F(0)), in standard deviations from the mean: 0.2002)
  EXPECT_NEAR(distribution.quantile(0.5), mean * 1.2002, 0.0002 * mean);
  EXPECT_NEAR(distribution.mean(), mean * 1.28760, 0.0001 * mean);
}

TEST(Distribution, CutsTheUniformOffAtZero) {
  const Distribution distribution(Shape::uniform, 100, 200);  // -246 to 446 before truncation
  EXPECT_NEAR(distribution.quantile(0.5), (100 + 200 * std::sqrt(3.0)) / 2, 1e-9);
}

TEST(Distribution, KnowsMediansOfTheSkewedShapes) {
  EXPECT_NEAR(Distribution(Shape::exponential, 100, 0).quantile(0.5), 100 * std::log(2.0), 1e-9);
  // Mean = deviation: the gamma distribution is the exponential one; the median of the lognormal is mean / sqrt(2).
  EXPECT_NEAR(Distribution(Shape::gamma, 100, 100).quantile(0.5), 100 * std::log(2.0), 1e-6);
  EXPECT_NEAR(Distribution(Shape::lognormal, 100, 100).quantile(0.5), 100 / std::sqrt(2.0), 1e-9);
}

TEST(Distribution, DrawsByPositionAreTheSameInAnyOrder) {
  const Distribution distribution(Shape::gamma, mean, deviation);
  const auto draw = [&](std::uint32_t rank, std::uint64_t execution) {
    return distribution.quantile(random_unit({.seed = 1, .stream = 2, .rank = rank, .execution = execution}));
  };
  const double last = draw(3, 9);
  draw(0, 0);
  EXPECT_EQ(draw(3, 9), last);
  EXPECT_NE(draw(3, 8), last);
}

}  // namespace
}  // namespace stressbench
