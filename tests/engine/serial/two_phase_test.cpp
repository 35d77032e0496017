#include "io/two_phase.hpp"

#include <gmock/gmock.h>

#include <array>

#include "core/error.hpp"

namespace stressbench::io {
namespace {

constexpr std::array in_order{ByteRange{0, 10}, ByteRange{10, 10}, ByteRange{10, 20}};
constexpr std::array interleaved{ByteRange{10, 20}, ByteRange{0, 10}};

TEST(TwoPhase, IsUsedForTransfersThatInterleaveUnlessAHintDecides) {
  EXPECT_FALSE(is_two_phase(Buffering::automatic, in_order));
  EXPECT_TRUE(is_two_phase(Buffering::automatic, interleaved));
  EXPECT_TRUE(is_two_phase(Buffering::enable, in_order));
  EXPECT_FALSE(is_two_phase(Buffering::disable, interleaved));
}

TEST(TwoPhase, DividesTheFileAmongAggregatorsInPiecesOfTheirBuffer) {
  const FileDomains domains(interleaved, 2, 4);

  EXPECT_EQ(domains.rounds(), 3);
  EXPECT_EQ(domains.window(0, 0).begin, 0);
  EXPECT_EQ(domains.window(1, 0).begin, 10);
  EXPECT_EQ(domains.window(1, 2).end, 20);
  EXPECT_EQ(domains.window(1, 2).size(), 2);
}

TEST(TwoPhase, AccessesWhatRanksHaveInAWindow) {
  EXPECT_EQ(accessed_in({4, 14}, in_order).begin, 4);
  EXPECT_EQ(accessed_in({4, 14}, in_order).size(), 10);
  EXPECT_EQ(accessed_in({30, 40}, in_order).size(), 0);
}

TEST(TwoPhase, RefusesHintsWithValuesThatTheyCannotHave) {
  const std::array bad{Hint{"cb_nodes", "0"}};
  const std::array unknown{Hint{"cb_nodes", "2"}, Hint{"access_style", "read_once"}};

  EXPECT_THROW(simulated_hints(bad), ParameterMistake);
  EXPECT_EQ(simulated_hints(unknown).aggregators, 2);
  EXPECT_THAT(
      simulated_hints(unknown).notes,
      ::testing::ElementsAre("hint cb_nodes=2: taken", "hint access_style=read_once: has no effect in a simulation"));
}

}  // namespace
}  // namespace stressbench::io
