#include "motifs/point_to_point/team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace stressbench {
namespace {

TEST(Team, DoesTheWorkOnceAMemberEachTime) {
  std::array<int, 4> done{};
  Team team(4, [&done](int member) { ++done[static_cast<std::size_t>(member)]; });
  for (int turn = 1; turn <= 1000; ++turn) {
    team.run();
    ASSERT_EQ(done, (std::array{turn, turn, turn, turn}));  // run returns when all members are done
  }
}

TEST(Team, ThrowsWhatAMemberThrew) {
  std::atomic<int> thrower = 2;
  Team team(3, [&thrower](int member) {
    if (member == thrower) throw std::runtime_error("on purpose");
  });
  EXPECT_THROW(team.run(), std::runtime_error);
  thrower = 0;
  EXPECT_THROW(team.run(), std::runtime_error);
  thrower = -1;
  EXPECT_NO_THROW(team.run());
}

}  // namespace
}  // namespace stressbench
