// The definition of b_eff: rings, sizes, averages.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "suites/b_eff_rule.hpp"
#include "suites/protocol.hpp"
#include "suites/rings.hpp"

namespace stressbench::beff {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<std::vector<int>> patterns(int ranks) {
  std::vector<std::vector<int>> all;
  for (int pattern = 0; pattern < ring_patterns; ++pattern) all.push_back(ring_lengths(ranks, pattern));
  return all;
}
std::vector<int> many(int rings, int length) { return std::vector<int>(static_cast<std::size_t>(rings), length); }
std::vector<int> operator+(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The output of the original code.
TEST(BEffRings, AreThoseOfTheOriginal) {
  for (const int ranks : {2, 3}) EXPECT_THAT(patterns(ranks), Each(many(1, ranks)));
  EXPECT_THAT(patterns(4), ElementsAre(many(2, 2), many(1, 4), many(1, 4), many(1, 4), many(1, 4), many(1, 4)));
  EXPECT_EQ(patterns(5)[0], (std::vector{2, 3}));
  EXPECT_EQ(patterns(5)[1], many(1, 5));
  EXPECT_THAT(patterns(7),
              ElementsAre(std::vector{2, 2, 3}, std::vector{4, 3}, many(1, 7), many(1, 7), many(1, 7), many(1, 7)));
  EXPECT_THAT(patterns(8), ElementsAre(many(4, 2), many(2, 4), many(1, 8), many(1, 8), many(1, 8), many(1, 8)));
  EXPECT_THAT(patterns(14),
              ElementsAre(many(7, 2), std::vector{4, 5, 5}, many(2, 7), many(1, 14), many(1, 14), many(1, 14)));
  EXPECT_THAT(patterns(28),
              ElementsAre(many(14, 2), many(7, 4), std::vector{10, 9, 9}, many(2, 14), many(1, 28), many(1, 28)));
  EXPECT_THAT(patterns(29), ElementsAre(many(13, 2) + many(1, 3), many(6, 4) + many(1, 5), many(1, 8) + many(3, 7),
                                        std::vector{14, 15}, many(1, 29), many(1, 29)));
  EXPECT_THAT(patterns(64), ElementsAre(many(32, 2), many(16, 4), many(8, 8), many(4, 16), many(2, 32), many(1, 64)));
}

// Derived independently, in integers: as many rings as fit if each may lack four tenths of a standard ring; lengths
// differ by at most one, the longer ones first if the shorter are odd.
TEST(BEffRings, FollowFromTheRuleForAllNumbersOfRanks) {
  for (int ranks = 2; ranks <= 512; ++ranks) {
    const std::vector<int> standard{2, 4, 8, std::max(16, ranks / 4), std::max(32, ranks / 2), ranks};
    for (int pattern = 0; pattern < ring_patterns; ++pattern) {
      const int length = std::min(standard[static_cast<std::size_t>(pattern)], ranks);
      int rings = 1;
      while ((rings + 1) * 2 <= ranks && 10 * (rings + 1) * length <= 10 * ranks + 4 * length) ++rings;
      const std::vector<int> found = ring_lengths(ranks, pattern);

      ASSERT_EQ(static_cast<int>(found.size()), rings) << ranks << " ranks, pattern " << pattern;
      EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0), ranks);
      const auto [least, most] = std::ranges::minmax(found);
      EXPECT_LE(most - least, 1);
      EXPECT_TRUE(least % 2 == 1 ? std::ranges::is_sorted(found, std::greater<>()) : std::ranges::is_sorted(found));
    }
  }
}

TEST(BEffRings, OfAnyOrderMakeEachTheNeighbourOfItsNeighbours) {
  const std::vector order{4, 0, 6, 2, 5, 1, 3};
  const std::vector lengths{2, 2, 3};
  for (int rank = 0; rank < 7; ++rank) {
    const Neighbours own = neighbours_in(lengths, order, rank);
    EXPECT_EQ(neighbours_in(lengths, order, own.left).right, rank);
    EXPECT_EQ(neighbours_in(lengths, order, own.right).left, rank);
  }
  EXPECT_EQ(neighbours_in(lengths, order, 4), (Neighbours{.left = 0, .right = 0, .length = 2}));
  EXPECT_EQ(neighbours_in(lengths, order, 5), (Neighbours{.left = 3, .right = 1, .length = 3}));
  EXPECT_EQ(neighbours_in(lengths, 6), (Neighbours{.left = 5, .right = 4, .length = 3}));
}

TEST(BEffRings, OfTwoCarryOneMessageARankAndLongerOnesTwo) {
  EXPECT_EQ(messages_in(std::vector{2, 2, 3}), 2 + 2 + 6);
  EXPECT_EQ(messages_in(std::vector{8}), 16);
}

TEST(BEffRings, OfGridsRunAlongOneDirection) {
  const std::vector grid{3, 2};  // ranks 0 1 | 2 3 | 4 5
  EXPECT_EQ(neighbours_along(grid, 0, 3), (Neighbours{.left = 1, .right = 5, .length = 3}));
  EXPECT_EQ(neighbours_along(grid, 1, 3), (Neighbours{.left = 2, .right = 2, .length = 2}));
  EXPECT_EQ(messages_along(grid, 0), 12);
  EXPECT_EQ(messages_along(grid, 1), 6);
}

TEST(BEffRings, WorstCycleJumpsByHalf) {
  EXPECT_EQ(worst_cycle(6), (std::vector{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(worst_cycle(5), (std::vector{0, 3, 1, 4, 2}));
}

TEST(BEffRings, ProbedOrderTakesTheNextFreePlace) {
  const std::vector units{0.5, 0.5, 0.5, 0.1};
  EXPECT_EQ(probed_order(4, [&](int i) { return units[static_cast<std::size_t>(i)]; }), (std::vector{2, 3, 0, 1}));
}

TEST(BEffRule, SizesAreThoseOfTheOriginal) {
  const std::vector<std::int64_t> sizes = message_sizes(2 << 20);

  ASSERT_EQ(sizes.size(), size_count);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes[12], 4096);
  EXPECT_THAT(std::vector(sizes.begin() + 13, sizes.end()),
              ElementsAre(8933, 19484, 42495, 92682, 202141, 440872, 961548, 2097152));
}

TEST(BEffRule, SizesDifferFromTheLeastLongestMessageOn) {
  const auto differ = [](std::int64_t lmax_bytes) {
    const std::vector<std::int64_t> sizes = message_sizes(lmax_bytes);
    return std::set<std::int64_t>(sizes.begin(), sizes.end()).size() == size_count;
  };

  EXPECT_TRUE(differ(min_lmax_bytes));
  EXPECT_FALSE(differ(min_lmax_bytes - 1));
}

TEST(BEffRule, LoopsTakeTwoAndAHalfToFiveMilliseconds) {
  EXPECT_EQ(next_loops(300, 1e-3), 300);  // never more
  EXPECT_EQ(next_loops(300, 4e-3), 300);
  EXPECT_EQ(next_loops(300, 7.5e-3), 150);
  EXPECT_EQ(next_loops(10, 1e-3), 37);
  EXPECT_EQ(next_loops(1, 2.0), 1);
  EXPECT_EQ(next_loops(7, 0.0), 300);
}

TEST(BEffRule, AveragesAreLogarithmicOverPatternsAndBothKindsWeighTheSame) {
  const std::vector rings{1.0, 100.0}, polygons{1000.0};
  EXPECT_DOUBLE_EQ(logarithmic_mean(rings), 10);
  EXPECT_DOUBLE_EQ(combined_mean(rings, polygons), 100);
  EXPECT_DOUBLE_EQ(combined_mean(rings, {}), 10);
  EXPECT_DOUBLE_EQ(mean(rings), 50.5);
  EXPECT_DOUBLE_EQ(bandwidth(1000, 14, 10, 0.5), 280'000);
}

TEST(BEffProtocol, IsLinesOfJson) {
  Protocol protocol;
  protocol.ranks = 2;
  protocol.lmax_bytes = 4096;
  protocol.random = "uniform";
  protocol.seed = 3;
  protocol.attempts = 1;
  protocol.sizes = {1, 2};
  protocol.methods = {"sendrecv"};
  protocol.patterns = {{Kind::ring, "ring 1", 2}};
  protocol.loops = {{0, 1, 0, 0, 300, 0.25}};
  protocol.b_eff_bytes_per_s = 4800;

  EXPECT_EQ(
      as_json_lines(protocol, 4),
      R"({"type":"b_eff","version":1,"round":4,"ranks":2,"lmax_bytes":4096,"memory_bytes":null,"random":"uniform",)"
      R"("seed":3,"attempts":1,"sizes":[1,2],"patterns":[{"kind":"ring","name":"ring 1","messages":2}]})"
      "\n"
      R"({"type":"loop","pattern":0,"size_bytes":2,"method":"sendrecv","attempt":0,"loops":300,"time_s":0.25})"
      "\n"
      R"({"type":"end","b_eff_bytes_per_s":4800,"timed_s":0,"elapsed_s":0})"
      "\n");
}

}  // namespace
}  // namespace stressbench::beff
