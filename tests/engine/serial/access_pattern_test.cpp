#include "motifs/point_to_point/access_pattern.hpp"

#include <gtest/gtest.h>

namespace stressbench {
namespace {

TEST(AccessPatterns, EveryTargetKnowsItsOriginsAndTheyTheirPlace) {
  for (const auto& [name, pattern] : Names<AccessPattern>::values) {
    for (int ranks = 2; ranks <= 9; ++ranks) {
      std::int64_t targets = 0;
      int max_targets = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const AccessPeers own = access_peers(pattern, {}, rank, ranks);
        targets += static_cast<std::int64_t>(own.targets.size());
        max_targets = std::max(max_targets, static_cast<int>(own.targets.size()));
        if (!own.origins.empty()) {
          EXPECT_EQ(static_cast<int>(own.origins.size()), origins_per_target(pattern, ranks)) << name << ' ' << ranks;
        }
        for (const Target& target : own.targets) {
          EXPECT_NE(target.rank, rank);
          const AccessPeers of_target = access_peers(pattern, {}, target.rank, ranks);
          ASSERT_LT(static_cast<std::size_t>(target.origin_index), of_target.origins.size()) << name << ' ' << ranks;
          EXPECT_EQ(of_target.origins[static_cast<std::size_t>(target.origin_index)], rank) << name << ' ' << ranks;
        }
      }
      EXPECT_EQ(targets, total_targets(pattern, ranks)) << name << ' ' << ranks;
      EXPECT_EQ(max_targets, max_targets_per_origin(pattern, ranks)) << name << ' ' << ranks;
    }
  }
}

}  // namespace
}  // namespace stressbench
