#include "motifs/point_to_point/pairing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stressbench {
namespace {

using testing::ElementsAre;

TEST(Pairing, NeighboursAreTwoByTwo) {
  EXPECT_THAT(partners({Pairing::Kind::neighbours}, 5), ElementsAre(1, 0, 3, 2, no_partner));
}

TEST(Pairing, HalvesAreHalfTheRanksApart) {
  EXPECT_THAT(partners({Pairing::Kind::halves}, 5), ElementsAre(2, 3, 0, 1, no_partner));
}

TEST(Pairing, RandomIsAPairingThatItsSeedDecides) {
  const auto partner = partners({Pairing::Kind::random, 7}, 101);
  int idle = 0;
  for (int r = 0; r < 101; ++r) {
    const int other = partner[static_cast<std::size_t>(r)];
    if (other == no_partner) {
      ++idle;
      continue;
    }
    EXPECT_NE(other, r);
    EXPECT_EQ(partner[static_cast<std::size_t>(other)], r);
  }
  EXPECT_EQ(idle, 1);
  EXPECT_EQ(partners({Pairing::Kind::random, 7}, 101), partner);
  EXPECT_NE(partners({Pairing::Kind::random, 8}, 101), partner);
  EXPECT_NE(partners({Pairing::Kind::neighbours}, 101), partner);
}

TEST(Pairing, ReadsWhatItWrites) {
  for (const char* text : {"neighbours", "halves", "random:7"}) {
    EXPECT_EQ(Spelling<Pairing>::write(Spelling<Pairing>::read(text)), text);
  }
}

TEST(Pairing, RefusesWhatIsNone) {
  for (const char* text : {"", "random", "random:", "random:-1", "random:x", "neighbors2", "halves:1"}) {
    EXPECT_THROW(Spelling<Pairing>::read(text), UserMistake) << text;
  }
}

}  // namespace
}  // namespace stressbench
