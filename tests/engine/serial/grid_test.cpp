#include "core/grid.hpp"

#include <gtest/gtest.h>

namespace stressbench {
namespace {

TEST(Grid, IsAsSquareAsCanBeWithTheLongerSideAcross) {
  EXPECT_EQ(balanced_dims<2>(1), (Dims<2>{{1, 1}}));
  EXPECT_EQ(balanced_dims<2>(2), (Dims<2>{{2, 1}}));
  EXPECT_EQ(balanced_dims<2>(8), (Dims<2>{{4, 2}}));
  EXPECT_EQ(balanced_dims<2>(13), (Dims<2>{{13, 1}}));
  EXPECT_EQ(balanced_dims<2>(36), (Dims<2>{{6, 6}}));
  EXPECT_EQ(balanced_dims<2>(72), (Dims<2>{{9, 8}}));
  EXPECT_EQ(balanced_dims<2>(256), (Dims<2>{{16, 16}}));
}

TEST(Grid, HasItsLargestSideAsSmallAsCanBeInEachNumberOfDimensions) {
  EXPECT_EQ(balanced_dims(12, 3), (std::vector{3, 2, 2}));
  EXPECT_EQ(balanced_dims(72, 3), (std::vector{6, 4, 3}));
  EXPECT_EQ(balanced_dims(13, 3), (std::vector{13, 1, 1}));
  EXPECT_EQ(balanced_dims(1, 4), (std::vector{1, 1, 1, 1}));
  EXPECT_EQ(balanced_dims(16, 4), (std::vector{2, 2, 2, 2}));
}

TEST(Grid, OfTwoDimensionsHasNoDivisorBetweenItsSides) {
  for (int ranks = 1; ranks <= 4096; ++ranks) {
    const Dims<2> grid = balanced_dims<2>(ranks);
    ASSERT_EQ(grid.ranks(), ranks);
    ASSERT_GE(grid[0], grid[1]) << ranks;
    for (int side = grid[1] + 1; side < grid[0]; ++side) ASSERT_NE(ranks % side, 0) << ranks;
  }
}

TEST(Grid, DependsOnlyOnTheRanksWhateverWasAskedBefore) {
  for (const int ranks : {12, 12, 7, 12, 1, 12}) {
    EXPECT_EQ(balanced_dims<2>(ranks).ranks(), ranks);
    EXPECT_EQ(balanced_dims<3>(ranks).ranks(), ranks);
  }
}

TEST(Grid, OfSeveralDimensionsReadsWhatItWrites) {
  EXPECT_EQ(Spelling<Dims<3>>::read("4x2x1"), (Dims<3>{{4, 2, 1}}));
  EXPECT_EQ(Spelling<Dims<3>>::write({{4, 2, 1}}), "4x2x1");
  EXPECT_FALSE(Spelling<Dims<4>>::read("auto").chosen());
  EXPECT_EQ(Spelling<Dims<4>>::write({}), "auto");
  for (const char* text : {"", "4", "4x2", "4x2x1x1", "4x0x1", "x2x1", "4x2x"}) {
    EXPECT_THROW(Spelling<Dims<3>>::read(text), UserMistake) << text;
  }
}

TEST(Grid, ThatDoesNotFitIsRefusedWithOneThatDoes) {
  EXPECT_NO_THROW(check_dims("grid", Dims<3>{{4, 2, 1}}, 8));
  try {
    check_dims("grid", Dims<3>{{3, 2, 1}}, 8);
    FAIL();
  } catch (const ParameterMistake& mistake) {
    EXPECT_STREQ(mistake.what(), "--grid: 3x2x1 has 6 ranks, but the job has 8; 2x2x2 would fit");
  }
}

TEST(Grid, BlocksTakeTheRemainderFromTheFirstOn) {
  EXPECT_EQ(block_cells(10, 4, 0), 3);
  EXPECT_EQ(block_cells(10, 4, 1), 3);
  EXPECT_EQ(block_cells(10, 4, 2), 2);
  EXPECT_EQ(block_cells(10, 4, 3), 2);
}

TEST(Grid, OfTwoDimensionsReadsWhatItWrites) {
  EXPECT_EQ(Spelling<Dims<2>>::read("4x2"), (Dims<2>{{4, 2}}));
  EXPECT_EQ(Spelling<Dims<2>>::write({{4, 2}}), "4x2");
  EXPECT_FALSE(Spelling<Dims<2>>::read("AUTO").chosen());
  EXPECT_EQ(Spelling<Dims<2>>::write({}), "auto");
}

TEST(Grid, OfTwoDimensionsRefusesWhatIsNone) {
  for (const char* text : {"", "4", "x", "4x", "x2", "0x2", "4x0", "4x2x1", "-1x2", "4 x 2", "99999999999x1"}) {
    EXPECT_THROW(Spelling<Dims<2>>::read(text), UserMistake) << text;
  }
}

}  // namespace
}  // namespace stressbench
