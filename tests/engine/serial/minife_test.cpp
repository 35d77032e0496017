// The boxes of miniFE and their neighbours, by the formula.
#include <numeric>

#include "messages.hpp"

namespace stressbench::test {
namespace {

Options mesh(const std::string& x, const std::string& y, const std::string& z) {
  return {{"nx", x}, {"ny", y}, {"nz", z}};
}

TEST(MiniFE, CutsAcrossZThenY) {
  const CallLists lists("minife", mesh("48", "24", "24"),
                        4);  // halves of 12 elements, the upper ones with the last nodes
  EXPECT_EQ(lists.bytes_to(0), (std::map<int, std::int64_t>{{1, 8 * 49 * 12}, {2, 8 * 49 * 12}, {3, 8 * 49}}));
  EXPECT_EQ(lists.bytes_to(3), (std::map<int, std::int64_t>{{0, 8 * 49}, {1, 8 * 49 * 13}, {2, 8 * 49 * 13}}));
}

TEST(MiniFE, GivesTheUpperRanksTheirShareRoundedDown) {
  // 10 elements for 3 ranks: the upper two have int(10 * 2/3) = 6 of them, cut across y; the first has 4.
  const CallLists lists("minife", mesh("5", "7", "10"), 3);
  EXPECT_EQ(lists.bytes_to(0),
            (std::map<int, std::int64_t>{{1, 8 * 6 * 5}, {2, 8 * 6 * 5}}));  // rows adjacent to the others
  EXPECT_EQ(lists.bytes_to(1), (std::map<int, std::int64_t>{{0, 8 * 6 * 4}, {2, 8 * 6 * 7}}));
}

TEST(MiniFE, TakesNeighboursInTheOrderOfItsRows) {
  const CallLists lists("minife", mesh("48", "48", "48"), 4);
  std::vector<int> order;
  for (const calls::Call& call : lists.of(1).calls()) {
    if (const auto* send = std::get_if<calls::Send>(&call)) order.push_back(send->out.to);
  }
  EXPECT_EQ(order, (std::vector{0, 2, 3}));
}

TEST(MiniFE, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks)
    expect_matching_messages(*configured("minife", mesh("17", "19", "23"), ranks), ranks);
}

TEST(MiniFE, RefusesRanksWithoutElements) {
  EXPECT_TRUE(fits("minife", mesh("2", "2", "2"), 8));
  EXPECT_FALSE(fits("minife", mesh("2", "2", "2"), 9));
}

}  // namespace
}  // namespace stressbench::test
