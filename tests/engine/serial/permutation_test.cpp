#include "core/permutation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <vector>

namespace stressbench {
namespace {

std::vector<std::int64_t> order(std::int64_t n, std::uint64_t key) {
  const Permutation permutation(n, key);
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < n; ++i) places.push_back(permutation(i));
  return places;
}

std::vector<std::int64_t> every_number_below(std::int64_t n) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Permutation, TakesEachPlaceOnceForEveryLength) {
  for (std::int64_t n = 1; n <= 300; ++n) {
    auto places = order(n, 7);
    std::ranges::sort(places);
    ASSERT_EQ(places, every_number_below(n));
  }
}

TEST(Permutation, TakesEachPlaceOnceInALongOne) {
  for (const std::int64_t n : {65'535, 65'536, 65'537, 1'000'003}) {
    std::vector<bool> taken(static_cast<std::size_t>(n));
    for (const std::int64_t place : order(n, 42)) {
      ASSERT_FALSE(taken.at(static_cast<std::size_t>(place)));
      taken[static_cast<std::size_t>(place)] = true;
    }
  }
}

TEST(Permutation, DiffersByKeyAndIsTheSameForOne) {
  EXPECT_NE(order(1000, 1), order(1000, 2));
  EXPECT_EQ(order(1000, 1), order(1000, 1));
}

TEST(Permutation, GivesEveryOrderOfAFewSomeTime) {
  std::set<std::vector<std::int64_t>> seen;
  for (std::uint64_t key = 0; key < 1000; ++key) seen.insert(order(4, key));
  EXPECT_EQ(seen.size(), 24u);
}

TEST(Permutation, LeavesFewWhereTheyWere) {
  std::int64_t stayed = 0;
  std::int64_t followed = 0;  // its successor is in the next place
  const auto places = order(100'000, 5);
  for (std::size_t i = 1; i < places.size(); ++i) {
    stayed += places[i] == static_cast<std::int64_t>(i);
    followed += places[i] == places[i - 1] + 1;
  }
  EXPECT_LT(stayed, 10);  // 1 each on average
  EXPECT_LT(followed, 10);
}

TEST(Permutation, StaysWithinTheLongestFileThatThereCanBe) {
  constexpr auto n = std::numeric_limits<std::int64_t>::max();
  const Permutation permutation(n, 3);
  for (std::int64_t index = n - 1000; index < n - 1; ++index) {
    ASSERT_GE(permutation(index), 0);
    ASSERT_LT(permutation(index), n);
  }
}

}  // namespace
}  // namespace stressbench
