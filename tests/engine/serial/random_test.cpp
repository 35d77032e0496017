#include "core/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace stressbench {
namespace {

// Known answers published with Random123 for philox4x32-10: counter and key all zeros, and all ones.
TEST(Random, IsPhilox4x32With10Rounds) {
  EXPECT_EQ(random_bits({}), 0xe169c58d6627e8d5U);
  EXPECT_EQ(random_bits({.seed = ~0ULL, .stream = ~0U, .rank = ~0U, .execution = ~0ULL}), 0x41c83b0e408f276dU);
}

TEST(Random, EveryFieldOfAPositionCounts) {
  const std::set<std::uint64_t> different{random_bits({}),
                                          random_bits({.seed = 1}),
                                          random_bits({.seed = 1ULL << 32}),
                                          random_bits({.stream = 1}),
                                          random_bits({.rank = 1}),
                                          random_bits({.execution = 1}),
                                          random_bits({.execution = 1ULL << 32})};
  EXPECT_EQ(different.size(), 7u);
}

TEST(Random, UnitLiesStrictlyBetweenZeroAndOneAndIsUniform) {
  double sum = 0;
  double squares = 0;
  constexpr int draws = 100'000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const double unit = random_unit({.seed = 42, .execution = i});
    ASSERT_GT(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    ASSERT_EQ(std::fmod(unit * 0x1p53, 2.0), 1.0);  // odd multiples of 2^-53: never 0 or 1
    sum += unit;
    squares += unit * unit;
  }
  EXPECT_NEAR(sum / draws, 1.0 / 2, 0.004);  // 4 standard errors
  EXPECT_NEAR(squares / draws, 1.0 / 3, 0.004);
}

TEST(Random, BelowHitsEveryValueOfItsRangeEvenly) {
  std::array<int, 7> hits{};
  for (std::uint64_t i = 0; i < 70'000; ++i) ++hits.at(random_below({.seed = 3, .execution = i}, hits.size()));
  for (const int count : hits) EXPECT_NEAR(count, 10'000, 400);
}

TEST(Random, BelowOneIsZero) { EXPECT_EQ(random_below({.seed = 9}, 1), 0u); }

TEST(Random, PermutationHoldsEveryNumberOnce) {
  for (const int n : {0, 1, 2, 17, 1000}) {
    auto order = random_permutation({.seed = 5}, n);
    std::ranges::sort(order);
    ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(Random, EveryPermutationIsAsLikely) {
  std::map<std::vector<int>, int> seen;
  for (std::uint64_t seed = 0; seed < 24'000; ++seed) ++seen[random_permutation({.seed = seed}, 4)];
  ASSERT_EQ(seen.size(), 24u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace stressbench
