// The levels of AMG: computed, by the formula, and from a table.
#include <gmock/gmock.h>

#include "folder_test.hpp"
#include "messages.hpp"
#include "motifs/application/amg/computed.hpp"
#include "motifs/application/amg/lattice.hpp"
#include "motifs/application/amg/problem.hpp"
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

TEST(AmgLattice, GathersACoarsestLevelOfNineUnknownsOrFewer) {
  const amg::Lattice lattice({{10, 10, 10}}, {{1, 1, 1}});
  EXPECT_EQ(lattice.levels(), 1);
  EXPECT_EQ(lattice.coarsest(), (std::map<int, std::int64_t>{{0, 8 * 2 * 2 * 2}}));
}

TEST(AmgLattice, RelaxesALargerCoarsestLevel) {
  const amg::Lattice lattice({{64, 64, 64}}, {{4, 4, 2}});
  EXPECT_EQ(lattice.levels(), 5);
  for (int rank = 0; rank < 32; ++rank) EXPECT_EQ(lattice.points(5, rank), 1);  // of 4 x 4 x 2
  EXPECT_TRUE(lattice.coarsest().empty());
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
  EXPECT_EQ(second, 8 * 8 * 4);  // sides divided by 4.15
}

TEST(AmgLattice, IsAsCoarseAsTheCoarsestBelowIt) {
  const amg::Lattice lattice({{10, 10, 10}}, {{2, 1, 1}});
  std::int64_t coarsest = 0;
  for (int rank = 0; rank < 2; ++rank) {
    coarsest += lattice.points(lattice.levels(), rank);
    EXPECT_EQ(lattice.points(99, rank), lattice.points(lattice.levels(), rank));
  }
  EXPECT_THAT(coarsest, testing::AllOf(testing::Ge(1), testing::Le(80)));
}

std::vector<std::int64_t> points_by_level(const amg::Hierarchy& hierarchy, int ranks) {
  std::vector<std::int64_t> points;
  for (int level = 0; level <= hierarchy.levels(); ++level) {
    points.push_back(0);
    for (int rank = 0; rank < ranks; ++rank) points.back() += hierarchy.points(level, rank);
  }
  return points;
}

constexpr double laplacian = 26;
constexpr double first_time_step = 26.5;

// The numbers of points are those that the application prints with -printstats.
TEST(AmgComputed, HasTheLevelsOfTheApplication) {
  const amg::ComputedHierarchy small({{8, 8, 8}}, {{2, 2, 2}}, laplacian);
  EXPECT_THAT(points_by_level(small, 8), testing::ElementsAre(4096, 62, 15, 4));
  const amg::ComputedHierarchy medium({{16, 16, 16}}, {{2, 2, 1}}, laplacian);
  EXPECT_THAT(points_by_level(medium, 4), testing::ElementsAre(16384, 243, 54, 9));
  EXPECT_FALSE(medium.coarsest().empty());
}

TEST(AmgComputed, RelaxesACoarsestLevelThatIsTooLargeToBeGathered) {
  const amg::ComputedHierarchy hierarchy({{16, 16, 16}}, {{2, 2, 1}}, first_time_step);
  EXPECT_THAT(points_by_level(hierarchy, 4), testing::ElementsAre(16384, 243, 53, 11));
  EXPECT_TRUE(hierarchy.coarsest().empty());
}

TEST(AmgComputed, HasTheStencilOf27PointsOnTheFinestLevel) {
  const Dims<3> points{{6, 5, 4}};
  const Dims<3> ranks{{3, 2, 3}};
  const amg::ComputedHierarchy computed(points, ranks, laplacian);
  const amg::Lattice formula(points, ranks);
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const std::vector<amg::Exchange> exchanges = computed.matrix(0, rank);
    const std::vector<amg::Exchange> expected = formula.matrix(0, rank);
    ASSERT_EQ(exchanges.size(), expected.size());
    for (std::size_t k = 0; k < exchanges.size(); ++k) {
      EXPECT_EQ(exchanges[k].peer, expected[k].peer);
      EXPECT_EQ(exchanges[k].sent, expected[k].sent);
      EXPECT_EQ(exchanges[k].received, expected[k].received);
    }
  }
}

TEST(AmgComputed, StopsWhereNoPointDependsOnAnother) {
  const amg::ComputedHierarchy line({{10, 1, 1}}, {{2, 1, 1}}, laplacian);  // the diagonal outweighs two neighbours
  EXPECT_EQ(line.levels(), 0);
  EXPECT_TRUE(line.coarsest().empty());
  expect_matching_messages(*configured("amg", {{"points", "1x1x1"}}, 1), 1);
}

TEST(AmgComputed, HasAnotherMatrixInEachTimeStep) {
  const auto messages = [](const std::string& time_step) {
    const Options options{{"points", "16x16x16"}, {"grid", "2x2x1"}, {"solver", "gmres"}, {"time-step", time_step}};
    return CallLists("amg", options, 4).traffic().messages;
  };
  EXPECT_EQ(messages("1"), 270);
  EXPECT_EQ(messages("2"), 274);
  EXPECT_EQ(messages("6"), 262);
}

TEST(AmgComputed, IsTheHierarchyOfAMillionPointsOrFewer) {
  const auto is_computed = [](const Dims<3>& points, const Dims<3>& ranks) {
    return dynamic_cast<const amg::ComputedHierarchy*>(amg::hierarchy_of({points, ranks, laplacian}).get()) != nullptr;
  };
  EXPECT_TRUE(is_computed({{4, 4, 4}}, {{3, 1, 1}}));
  EXPECT_FALSE(is_computed({{128, 128, 65}}, {{1, 1, 1}}));
  EXPECT_FALSE(is_computed({{2000000000, 2000000000, 2000000000}}, {{1, 1, 1}}));
}

TEST(Amg, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    expect_matching_messages(*configured("amg", {{"points", "10x7x5"}}, ranks), ranks);
    expect_matching_messages(*configured("amg", {{"points", "10x7x5"}, {"solver", "gmres"}}, ranks), ranks);
  }
  expect_matching_messages(*configured("amg", {{"points", "2x2x2"}}, 512), 512);
}

TEST(Amg, ReceivesWhatIsSentByTheFormula) {
  for (int ranks = 1; ranks <= 40; ++ranks)
    expect_matching_messages(*configured("amg", {{"points", "1048577x2x3"}}, ranks), ranks);
  expect_matching_messages(*configured("amg", {{"points", "100x100x100"}}, 64), 64);
}

TEST(Amg, AnnouncesTheSumOfItsRanksScripts) {
  const auto expect_announced = [](const Options& options, int ranks) {
    const CallLists lists("amg", options, ranks);
    const Traffic announced = lists.traffic();
    const Traffic sum = lists.sum_of_call_lists();
    EXPECT_EQ(announced.messages, sum.messages);
    EXPECT_EQ(announced.message_bytes, sum.message_bytes);
    EXPECT_EQ(announced.collectives, sum.collectives);
    EXPECT_EQ(announced.collective_bytes, sum.collective_bytes);
    EXPECT_NEAR(announced.compute_s, sum.compute_s, 1e-9 * sum.compute_s);
  };
  for (const int ranks : {1, 2, 6, 27}) {
    expect_announced({{"points", "9x8x7"}}, ranks);
    expect_announced({{"points", "9x8x7"}, {"solver", "gmres"}, {"basis", "3"}}, ranks);
    expect_announced({{"points", "101x102x103"}}, ranks);
  }
}

TEST(Amg, AddsAReductionForEachVectorOfTheBasis) {
  const auto collectives = [](const Options& options) { return CallLists("amg", options, 2).traffic().collectives; };
  EXPECT_EQ(collectives({}), 3 + 1);  // with the gathering
  EXPECT_EQ(collectives({{"solver", "gmres"}, {"basis", "1"}}), 2 + 1);
  EXPECT_EQ(collectives({{"solver", "gmres"}, {"basis", "9"}}), 10 + 1);
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
  EXPECT_THAT(error_of("\nmatrix 100 0 1 80\n"), testing::HasSubstr("line 2: level 100 is not in the range 0 to 99"));
  EXPECT_THAT(error_of("matrix 1 0 1 0\n"), testing::HasSubstr("size 0"));
  EXPECT_THAT(error_of("matrix 1 0 0 8\n"), testing::HasSubstr("cannot send to itself"));
  EXPECT_THAT(error_of("matrix 1 0 1 8\nmatrix 1 0 1 8\n"),
              testing::HasSubstr("line 2: 0 to 1 on level 1 is given twice"));
  EXPECT_THAT(error_of("smoother 1 0 1 8\n"), testing::HasSubstr("must be: matrix LEVEL FROM TO BYTES"));
  EXPECT_THAT(error_of("matrix 1 0 1 8\n"),
              testing::HasSubstr("needs lines with interpolation, and with coarsest or relaxed"));
  EXPECT_THAT(error_of("coarsest 0 1\nrelaxed 1\n"), testing::HasSubstr("has lines with coarsest and with relaxed"));
  EXPECT_THAT(error_of("matrix 2 0 1 8\nrelaxed 1\n"), testing::HasSubstr("the relaxed level, 1, is not the coarsest"));
  EXPECT_THAT(error_of("interpolation 1 0 1 8\nrelaxed 1\n"),
              testing::HasSubstr("the relaxed level, 1, is not the coarsest"));
}

TEST_F(Tables, MayStateTheMatrixOfTheFinestLevel) {
  const amg::Lattice lattice({{4, 4, 4}}, {{2, 1, 1}});
  const amg::Table table(std::string("matrix 0 0 1 72\n") + valid_table, "levels.txt", 2, lattice);
  EXPECT_EQ(table.matrix(0, 0)[0].sent, 72);
  EXPECT_EQ(table.matrix(0, 0)[0].received, 0);
}

TEST_F(Tables, MayEndInALevelThatIsRelaxed) {
  const std::string file = put("levels.txt",
                               "interpolation 0 1 0 40\n"
                               "matrix 1 0 1 80\n"
                               "matrix 1 1 0 88\n"
                               "relaxed 1\n");
  const CallLists lists("amg", {{"points", "4x4x4"}, {"levels", file}}, 2);
  EXPECT_EQ(lists.traffic().message_bytes, 6 * 2 * 128 + 2 * 40 + 80 + 88);
  EXPECT_EQ(lists.traffic().collectives, 3);
  expect_matching_messages(*configured("amg", {{"points", "4x4x4"}, {"levels", file}}, 2), 2);
}

TEST_F(Tables, TakeTheFormulasPlace) {
  const std::string file = put("levels.txt", valid_table);
  const CallLists lists("amg", {{"points", "4x4x4"}, {"levels", file}}, 2);
  // Finest: 1 + 3 + 2 exchanges of 128 B both ways; level 1: 3 + 2; each interpolation and its restriction.
  EXPECT_EQ(lists.traffic().message_bytes, 6 * 2 * 128 + 5 * (80 + 88) + 2 * 40 + 2 * 8);
  EXPECT_EQ(lists.traffic().collective_bytes, 3 * 2 * 8 + 24);
  expect_matching_messages(*configured("amg", {{"points", "4x4x4"}, {"levels", file}}, 2), 2);
  EXPECT_FALSE(fits("amg", {{"levels", file + ".none"}}, 2));
}

}  // namespace
}  // namespace stressbench::test
