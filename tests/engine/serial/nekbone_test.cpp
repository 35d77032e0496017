// The bricks of Nekbone and the points that they share, by the formula.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "messages.hpp"

namespace stressbench::test {
namespace {

TEST(Nekbone, SharesFacesEdgesAndCorners) {
  // 8 ranks: 2 x 2 x 2; 12 elements: 3 x 2 x 2, with 5 points per side.
  const CallLists lists("nekbone", {{"elements", "12"}, {"points", "5"}}, 8);
  EXPECT_EQ(lists.bytes_to(0),
            (std::map<int, std::int64_t>{
                {1, 8 * 9 * 9}, {2, 8 * 13 * 9}, {3, 8 * 9}, {4, 8 * 13 * 9}, {5, 8 * 9}, {6, 8 * 13}, {7, 8}}));
}

TEST(Nekbone, DividesAsEvenlyAsItCan) {
  // 12 ranks: 3 x 2 x 2. 30 elements: 5 x 3 x 2.
  const CallLists lists("nekbone", {{"elements", "30"}, {"points", "2"}}, 12);
  EXPECT_EQ(lists.bytes_to(0).at(1), 8 * 4 * 3);
  EXPECT_EQ(lists.bytes_to(0).at(3), 8 * 6 * 3);
  EXPECT_EQ(lists.bytes_to(0).at(6), 8 * 6 * 4);
  EXPECT_FALSE(lists.bytes_to(0).contains(2));
}

TEST(Nekbone, StandsInARow) {
  const CallLists lists("nekbone", {{"elements", "7"}, {"points", "10"}, {"line", ""}}, 3);
  EXPECT_EQ(lists.bytes_to(1), (std::map<int, std::int64_t>{{0, 800}, {2, 800}}));
}

TEST(Nekbone, FindsOutWhichPointsAreShared) {
  // Two cubes with points 1 to 12: rank 0 has 1, 2, 4, 5, ..., rank 1 has 2, 3, 5, 6, ...; even ones are looked after
  // by rank 0. Each has four that the other one looks after (12 bytes each and 12 of a header), and shares 2, 5, 8 and
  // 11, of which each looks after two (28 bytes each and 12).
  const CallLists lists("nekbone", {{"elements", "1"}, {"points", "2"}, {"phase", "setup"}}, 2);
  const std::int64_t points = 12 + 4 * 12;
  const std::int64_t sharers = 12 + 2 * 28;
  EXPECT_EQ(lists.sent(), (Messages{{{0, 1, 0, 4}, 2},
                                    {{0, 1, 1, points}, 1},
                                    {{0, 1, 0, 8}, 1},  // a sum over the ranks
                                    {{0, 1, 0, 16}, 1},
                                    {{0, 1, 1, sharers}, 1},
                                    {{1, 0, 0, 4}, 2},
                                    {{1, 0, 1, points}, 1},
                                    {{1, 0, 1, 8}, 1},
                                    {{1, 0, 1, sharers}, 1}}));
}

TEST(Nekbone, PutsAHeaderBeforeAllPointsThatARankLooksAfter) {
  // 64 ranks in a cube, 9 points along its sides: of the 27 points of rank 0, 12 are looked after by the upper half of
  // the ranks, namely by ranks 35 to 38 (36 and 37 two of them), 44 to 46 and 53 to 55.
  const CallLists lists("nekbone", {{"elements", "1"}, {"points", "3"}, {"phase", "setup"}}, 64);
  EXPECT_TRUE(lists.sent().contains({0, 63, 1, 12 * 12 + 10 * 12}));
}

TEST(Nekbone, PassesOnWhatItHasForTheOtherHalfOfItsGroup) {
  // In a capture of Nekbone on 4 ranks, rank 0 exchanged with rank 3 in the first stage, and with rank 1 in the second.
  const Messages sent = CallLists("nekbone", {{"elements", "32"}, {"points", "10"}, {"phase", "setup"}}, 4).sent();
  std::map<std::pair<int, int>, std::vector<std::int64_t>> of_rank_0;  // by receiver and tag; 4 bytes: their number
  for (const auto& [message, times] : sent) {
    const auto& [from, to, tag, bytes] = message;
    if (from == 0 && tag % 2 == 1 && to != 2) of_rank_0[{to, tag}].push_back(bytes);
  }
  EXPECT_EQ((of_rank_0[{3, 1}]), (std::vector<std::int64_t>{19848, 156096}));
  EXPECT_EQ((of_rank_0[{1, 3}]), (std::vector<std::int64_t>{19932, 156096}));
}

TEST(Nekbone, HasTwoSumsBeforeTheFirstExchangeAndNoneOutsideOfTheSolver) {
  const auto sums = [](const std::string& phase) {
    const CallLists lists("nekbone", {{"phase", phase}}, 4);
    return std::ranges::count_if(lists.of(0).calls(),
                                 [](const auto& call) { return std::holds_alternative<calls::Allreduce>(call); });
  };
  EXPECT_EQ((std::vector{sums("iteration"), sums("start"), sums("exchange")}), (std::vector<std::ptrdiff_t>{3, 2, 0}));
  const Messages iteration = CallLists("nekbone", {}, 4).sent();
  EXPECT_EQ(CallLists("nekbone", {{"phase", "start"}}, 4).sent(), iteration);
  EXPECT_EQ(CallLists("nekbone", {{"phase", "exchange"}}, 4).sent(), iteration);
}

TEST(Nekbone, CannotShareSinglePoints) {
  EXPECT_FALSE(fits("nekbone", {{"points", "1"}, {"phase", "setup"}}, 4));
  EXPECT_TRUE(fits("nekbone", {{"points", "1"}}, 4));
}

TEST(Nekbone, ReceivesWhatIsSentInItsSetUpOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    expect_matching_messages(*configured("nekbone", {{"elements", "6"}, {"points", "3"}, {"phase", "setup"}}, ranks),
                             ranks);
  }
}

TEST(Nekbone, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks)
    expect_matching_messages(*configured("nekbone", {{"elements", "6"}}, ranks), ranks);
}

}  // namespace
}  // namespace stressbench::test
