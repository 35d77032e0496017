#include "motifs/point_to_point/reach.hpp"

#include <gtest/gtest.h>

namespace stressbench {
namespace {

TEST(Reach, EveryTargetKnowsItsOriginsAndTheyTheirPlace) {
  for (const auto& [name, reach] : Names<Reach>::values) {
    for (int ranks = 2; ranks <= 9; ++ranks) {
      std::int64_t targets = 0;
      int most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Reached here = reached(reach, {}, rank, ranks);
        targets += static_cast<std::int64_t>(here.targets.size());
        most = std::max(most, static_cast<int>(here.targets.size()));
        if (!here.origins.empty()) {
          EXPECT_EQ(static_cast<int>(here.origins.size()), origins_of_target(reach, ranks)) << name << ' ' << ranks;
        }
        for (const Target& target : here.targets) {
          EXPECT_NE(target.rank, rank);
          const Reached there = reached(reach, {}, target.rank, ranks);
          ASSERT_LT(static_cast<std::size_t>(target.place), there.origins.size()) << name << ' ' << ranks;
          EXPECT_EQ(there.origins[static_cast<std::size_t>(target.place)], rank) << name << ' ' << ranks;
        }
      }
      EXPECT_EQ(targets, all_targets(reach, ranks)) << name << ' ' << ranks;
      EXPECT_EQ(most, most_targets(reach, ranks)) << name << ' ' << ranks;
    }
  }
}

}  // namespace
}  // namespace stressbench
