#include "core/grid.hpp"

#include <gtest/gtest.h>

namespace stressbench {
namespace {

TEST(Grid, IsAsSquareAsCanBeWithTheLongerSideAcross) {
  EXPECT_EQ(most_square(1), (Grid{1, 1}));
  EXPECT_EQ(most_square(2), (Grid{2, 1}));
  EXPECT_EQ(most_square(8), (Grid{4, 2}));
  EXPECT_EQ(most_square(13), (Grid{13, 1}));
  EXPECT_EQ(most_square(36), (Grid{6, 6}));
  EXPECT_EQ(most_square(72), (Grid{9, 8}));
  EXPECT_EQ(most_square(256), (Grid{16, 16}));
}

TEST(Grid, BlocksTakeTheRemainderFromTheFirstOn) {
  EXPECT_EQ(block_cells(10, 4, 0), 3);
  EXPECT_EQ(block_cells(10, 4, 1), 3);
  EXPECT_EQ(block_cells(10, 4, 2), 2);
  EXPECT_EQ(block_cells(10, 4, 3), 2);
}

TEST(Grid, ReadsWhatItWrites) {
  EXPECT_EQ(Spelling<Grid>::read("4x2"), (Grid{4, 2}));
  EXPECT_EQ(Spelling<Grid>::write({4, 2}), "4x2");
  EXPECT_FALSE(Spelling<Grid>::read("AUTO").chosen());
  EXPECT_EQ(Spelling<Grid>::write({}), "auto");
}

TEST(Grid, RefusesWhatIsNone) {
  for (const char* text : {"", "4", "x", "4x", "x2", "0x2", "4x0", "4x2x1", "-1x2", "4 x 2", "99999999999x1"}) {
    EXPECT_THROW(Spelling<Grid>::read(text), UserMistake) << text;
  }
}

}  // namespace
}  // namespace stressbench
