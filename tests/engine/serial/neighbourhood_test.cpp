// Neighbours in grids and graphs.
#include "motifs/collective/neighbourhood.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace stressbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Holder : ParameterSet {
  explicit Holder(const std::vector<std::pair<std::string, std::string>>& options) {
    for (const auto& [name, text] : options) find(name)->parse(text);
  }
  Neighbourhood neighbourhood{this};
};

std::vector<int> neighbours(const std::vector<std::pair<std::string, std::string>>& options, int rank, int ranks) {
  return Holder(options).neighbourhood.neighbours_of(rank, ranks);
}

constexpr int none = MPI_PROC_NULL;

TEST(BalancedSides, AreAsEqualAsCanBe) {
  EXPECT_THAT(balanced_sides(12, 1), ElementsAre(12));
  EXPECT_THAT(balanced_sides(12, 2), ElementsAre(4, 3));
  EXPECT_THAT(balanced_sides(12, 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(balanced_sides(7, 3), ElementsAre(7, 1, 1));
  EXPECT_THAT(balanced_sides(64, 3), ElementsAre(4, 4, 4));
  EXPECT_THAT(balanced_sides(1, 3), ElementsAre(1, 1, 1));
}

TEST(Neighbours, OfAGridAreBelowAndAboveInEachDimension) {
  // 3 x 2 x 2: rank 6 is at (1, 1, 0).
  EXPECT_THAT(neighbours({}, 6, 12), ElementsAre(2, 10, 4, none, none, 7));
  EXPECT_THAT(neighbours({{"periodic", ""}}, 6, 12), ElementsAre(2, 10, 4, 4, 7, 7));
  EXPECT_THAT(neighbours({{"dimensions", "1"}}, 0, 4), ElementsAre(none, 1));
  EXPECT_THAT(neighbours({{"dimensions", "2"}, {"periodic", ""}}, 0, 1), ElementsAre(0, 0, 0, 0));
}

TEST(Neighbours, OfARingAreLeftAndRight) {
  EXPECT_THAT(neighbours({{"topology", "ring"}}, 0, 5), ElementsAre(4, 1));
  EXPECT_THAT(neighbours({{"topology", "ring"}}, 0, 2), ElementsAre(1));
  EXPECT_THAT(neighbours({{"topology", "ring"}}, 0, 1), IsEmpty());
}

TEST(Neighbours, OfTheNearestAreAsFarAsTheReachOnEitherSideEachOnce) {
  EXPECT_THAT(neighbours({{"topology", "nearest"}}, 0, 9), ElementsAre(8, 1, 7, 2));
  EXPECT_THAT(neighbours({{"topology", "nearest"}, {"reach", "100"}}, 1, 4), UnorderedElementsAre(0, 2, 3));
}

TEST(Neighbours, OfABoxAreAllAround) {
  const std::vector<std::pair<std::string, std::string>> box{{"topology", "box"}};
  EXPECT_EQ(neighbours(box, 13, 27).size(), 26u);
  EXPECT_EQ(neighbours(box, 0, 27).size(), 7u);
  EXPECT_EQ(neighbours({{"topology", "box"}, {"periodic", ""}}, 0, 27).size(), 26u);
  EXPECT_THAT(neighbours({{"topology", "box"}, {"dimensions", "2"}}, 4, 9),
              UnorderedElementsAre(0, 1, 2, 3, 5, 6, 7, 8));
  EXPECT_THAT(neighbours({{"topology", "box"}, {"dimensions", "1"}}, 1, 4), ElementsAre(0, 2));
}

TEST(Neighbours, AreEachOthers) {
  for (const std::string topology : {"cartesian", "ring", "nearest", "box"}) {
    for (int ranks = 2; ranks < 30; ++ranks) {
      for (int rank = 0; rank < ranks; ++rank) {
        for (const int other : neighbours({{"topology", topology}}, rank, ranks)) {
          if (other == none) continue;
          EXPECT_THAT(neighbours({{"topology", topology}}, other, ranks), testing::Contains(rank)) << topology;
        }
      }
    }
  }
}

TEST(Neighbours, FitIntoTheSlotsThatAreSaid) {
  for (const std::string topology : {"cartesian", "ring", "nearest", "box"}) {
    const Holder holder({{"topology", topology}});
    for (int ranks = 2; ranks < 40; ++ranks) {
      EXPECT_LE(holder.neighbourhood.neighbours_of(0, ranks).size(),
                static_cast<std::size_t>(holder.neighbourhood.max_blocks(ranks)));
    }
  }
}

}  // namespace
}  // namespace stressbench
