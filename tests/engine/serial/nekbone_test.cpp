// The bricks of Nekbone and the points that they share, by the formula.
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

TEST(Nekbone, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks)
    expect_matching_messages(*configured("nekbone", {{"elements", "6"}}, ranks), ranks);
}

}  // namespace
}  // namespace stressbench::test
