#include "motifs/probe/tournament.hpp"

#include <gtest/gtest.h>

#include <map>

namespace stressbench {
namespace {

TEST(Tournament, LetsEveryPairMeetOnceAndNobodyTwiceInARound) {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    std::map<std::pair<int, int>, int> met;
    for (int round = 0; round < tournament_rounds(ranks); ++round) {
      int idle = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const int other = opponent(rank, round, ranks);
        if (other == no_partner) {
          ++idle;
          continue;
        }
        ASSERT_NE(other, rank);
        EXPECT_EQ(opponent(other, round, ranks), rank) << ranks << " ranks, round " << round;
        ++met[{rank, other}];
      }
      EXPECT_EQ(idle, ranks % 2) << ranks << " ranks, round " << round;
    }
    EXPECT_EQ(static_cast<int>(met.size()), ranks * (ranks - 1));
    for (const auto& [pair, times] : met) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace stressbench
