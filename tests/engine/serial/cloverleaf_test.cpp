#include "call_lists.hpp"

namespace stressbench::test {
namespace {

// Blocks across and down, derived from the messages that the first rank sends in a step: 6 to each neighbour.
std::pair<int, int> grid_of(int ranks, int columns, int rows) {
  const auto motif = configured("cloverleaf", {{"-x", std::to_string(columns)}, {"-y", std::to_string(rows)}}, ranks);
  int across = 1;
  int right = 0;
  for_each_executed_call(call_list_motif(*motif).calls_of(0, ranks), [&](const calls::Call& call) {
    const auto* isend = std::get_if<calls::Isend>(&call);
    if (isend != nullptr && isend->out.tag == 4) across = isend->out.to;
    if (isend != nullptr && isend->out.tag == 2) right = isend->out.to;
  });
  if (right == 1 && across == 1) across = ranks;  // there is no second row
  return {across, ranks / across};
}

TEST(CloverLeaf, DividesTheMeshByItsShape) {
  using Grid = std::pair<int, int>;
  EXPECT_EQ(grid_of(4, 960, 960), (Grid{2, 2}));
  EXPECT_EQ(grid_of(6, 960, 960), (Grid{2, 3}));
  EXPECT_EQ(grid_of(8, 960, 960), (Grid{2, 4}));
  EXPECT_EQ(grid_of(6, 701, 350), (Grid{3, 2}));
  EXPECT_EQ(grid_of(12, 4000, 1000), (Grid{6, 2}));
  EXPECT_EQ(grid_of(12, 1000, 4000), (Grid{1, 12}));
}

TEST(CloverLeaf, DividesALineOfRanksAlongTheLongerSide) {
  using Grid = std::pair<int, int>;
  EXPECT_EQ(grid_of(7, 701, 350), (Grid{7, 1}));
  EXPECT_EQ(grid_of(7, 350, 701), (Grid{1, 7}));
  EXPECT_EQ(grid_of(2, 960, 960), (Grid{2, 1}));
}

// 700 / 1000 is less than 0.7 in single precision, so there is no 7 x 10.
TEST(CloverLeaf, ComparesItsRatiosAsCloverLeafDoes) {
  EXPECT_EQ(grid_of(70, 700, 1000), (std::pair<int, int>{5, 14}));
  EXPECT_EQ(grid_of(15, 600, 1000), (std::pair<int, int>{3, 5}));
}

TEST(CloverLeaf, IsTheFormulaAndMeetsOnEveryGrid) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 12, 13, 24}) {
    const auto motif = configured("cloverleaf", {{"-x", "101"}, {"-y", "57"}}, ranks);
    expect_traffic_equals_call_lists(*motif, ranks);
    expect_matching_messages(*motif, ranks);
  }
}

TEST(CloverLeaf, WaitsInADirectionThatItHasNoNeighboursIn) {
  const auto motif = configured("cloverleaf", {{"-x", "20"}, {"-y", "11"}, {"grid", "1x3"}}, 3);
  // 11 rows on 3 ranks: 4, 4, 3; 8 bytes * 5 fields * (20 + 5) columns
  EXPECT_THAT(calls_of(*motif, 1, 3),
              testing::StartsWith("Wa(0) Is>0:3:1000 Ir<0:4:1000 Is>2:4:1000 Ir<2:3:1000 Wa(4) Wa(0) Is>0:3:200"));
}

}  // namespace
}  // namespace stressbench::test
