// The levels of AMG by the formula, and from a table.
#include <gmock/gmock.h>

#include "folder_test.hpp"
#include "messages.hpp"
#include "motifs/application/amg/lattice.hpp"
#include "motifs/application/amg/table.hpp"

namespace stressbench::test {
namespace {

TEST(AmgLattice, HasTheStencilOf27PointsOnTheFinestLevel) {
  const amg::Lattice lattice({{16, 12, 10}}, {{3, 3, 3}});
  const std::vector<amg::Exchange> exchanges = lattice.matrix(0, 13);
  ASSERT_EQ(exchanges.size(), 26u);
  EXPECT_EQ(exchanges[0].sent, 8);             // corner
  EXPECT_EQ(exchanges[1].sent, 8 * 16);        // edge
  EXPECT_EQ(exchanges[4].sent, 8 * 16 * 12);   // face
  EXPECT_EQ(exchanges[12].sent, 8 * 12 * 10);  // rank 12, adjacent
}

TEST(AmgLattice, CoarsensDownToNineUnknowns) {
  const amg::Lattice lattice({{16, 16, 16}}, {{2, 2, 1}});
  EXPECT_EQ(lattice.levels(), 3);
  std::int64_t bytes = 0;
  for (const auto& [rank, own] : lattice.coarsest()) bytes += own;
  EXPECT_EQ(bytes, 8 * 9);
}

TEST(AmgLattice, SharesOutEveryPointOfEveryLevel) {
  const Dims<3> ranks{{5, 3, 2}};
  const amg::Lattice lattice({{7, 11, 9}}, ranks);
  std::int64_t finest = 0;
  std::int64_t second = 0;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    finest += lattice.points(0, rank);
    second += lattice.points(1, rank);
  }
  EXPECT_EQ(finest, 35 * 33 * 18);
  EXPECT_EQ(second, 9 * 9 * 5);  // sides divided by 3.85
}

TEST(AmgLattice, IsAsCoarseAsTheCoarsestBelowIt) {
  const amg::Lattice lattice({{10, 10, 10}}, {{2, 1, 1}});
  std::int64_t coarsest = 0;
  for (int rank = 0; rank < 2; ++rank) {
    coarsest += lattice.points(lattice.levels(), rank);
    EXPECT_EQ(lattice.points(99, rank), lattice.points(lattice.levels(), rank));
  }
  EXPECT_THAT(coarsest, testing::AllOf(testing::Ge(1), testing::Le(9)));
}

TEST(Amg, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks) expect_all_received("amg", {{"points", "10x7x5"}}, ranks);
  expect_all_received("amg", {{"points", "2x2x2"}}, 512);
}

TEST(Amg, AnnouncesTheSumOfItsRanksScripts) {
  for (const int ranks : {1, 2, 6, 27}) {
    const CallLists lists("amg", {{"points", "9x8x7"}}, ranks);
    const Traffic announced = lists.traffic();
    const Traffic sum = lists.sum_of_call_lists();
    EXPECT_EQ(announced.messages, sum.messages);
    EXPECT_EQ(announced.message_bytes, sum.message_bytes);
    EXPECT_EQ(announced.collective_bytes, sum.collective_bytes);
    EXPECT_NEAR(announced.compute_s, sum.compute_s, 1e-12);
  }
}

class Tables : public FolderTest {
 protected:
  static constexpr const char* valid_table =
      "# two levels\n"
      "matrix 1 0 1 80\n"
      "matrix 1 1 0 88   # more\n"
      "\n"
      "interpolation 0 1 0 40\n"
      "interpolation 1 0 1 8\n"
      "coarsest 1 3\n";
  static std::string error_of(const std::string& text) {
    const amg::Lattice lattice({{4, 4, 4}}, {{2, 1, 1}});
    try {
      const amg::Table table(text, "levels.txt", 2, lattice);
      return "";
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "levels");
      return mistake.what();
    }
  }
};

TEST_F(Tables, StateWhoSendsWhatOnEachLevel) {
  const amg::Lattice lattice({{4, 4, 4}}, {{2, 1, 1}});
  const amg::Table table(valid_table, "levels.txt", 2, lattice);
  EXPECT_EQ(table.levels(), 2);
  EXPECT_EQ(table.matrix(0, 0)[0].sent, 8 * 16);  // from the formula
  EXPECT_EQ(table.matrix(1, 0)[0].sent, 80);
  EXPECT_EQ(table.matrix(1, 0)[0].received, 88);
  EXPECT_EQ(table.interpolation(0, 0)[0].sent, 0);
  EXPECT_EQ(table.interpolation(0, 0)[0].received, 40);
  EXPECT_TRUE(table.matrix(1, 1)[0].peer == 0);
  EXPECT_EQ(table.coarsest(), (std::map<int, std::int64_t>{{1, 24}}));
}

TEST_F(Tables, WithMistakesAreRefusedByLine) {
  EXPECT_EQ(error_of(valid_table), "");
  EXPECT_THAT(error_of("matrix 1 0 2 80\n"),
              testing::HasSubstr("'levels.txt', line 1: rank 2 is not in the range 0 to 1"));
  EXPECT_THAT(error_of("\nmatrix 0 0 1 80\n"), testing::HasSubstr("line 2: level 0 is not in the range 1 to"));
  EXPECT_THAT(error_of("matrix 1 0 1 0\n"), testing::HasSubstr("size 0"));
  EXPECT_THAT(error_of("matrix 1 0 0 8\n"), testing::HasSubstr("cannot send to itself"));
  EXPECT_THAT(error_of("matrix 1 0 1 8\nmatrix 1 0 1 8\n"),
              testing::HasSubstr("line 2: 0 to 1 on level 1 is given twice"));
  EXPECT_THAT(error_of("smoother 1 0 1 8\n"), testing::HasSubstr("must be: matrix LEVEL FROM TO BYTES"));
  EXPECT_THAT(error_of("matrix 1 0 1 8\n"), testing::HasSubstr("needs lines with interpolation and coarsest"));
}

TEST_F(Tables, TakeTheFormulasPlace) {
  const std::string file = put("levels.txt", valid_table);
  const CallLists lists("amg", {{"points", "4x4x4"}, {"levels", file}}, 2);
  // Finest: 1 + 3 + 2 exchanges of 128 B both ways; level 1: 3 + 2; each interpolation and its restriction.
  EXPECT_EQ(lists.traffic().message_bytes, 6 * 2 * 128 + 5 * (80 + 88) + 2 * 40 + 2 * 8);
  EXPECT_EQ(lists.traffic().collective_bytes, 3 * 2 * 8 + 24);
  expect_all_received("amg", {{"points", "4x4x4"}, {"levels", file}}, 2);
  EXPECT_FALSE(fits("amg", {{"levels", file + ".none"}}, 2));
}

}  // namespace
}  // namespace stressbench::test
