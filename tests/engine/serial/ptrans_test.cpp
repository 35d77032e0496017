#include "call_lists.hpp"

namespace stressbench::test {
namespace {

const std::string before = "Allreduce:4 Allreduce:4 Barrier ";
const std::string after = "Allreduce:16 Allreduce:8 Allreduce:8";

std::string ptrans_calls(int rank, int ranks, Options options = {}) {
  options.insert(options.begin(), {{"matrix", "256"}, {"block", "64"}});
  return calls_of(*configured("ptrans", options, ranks), rank, ranks);
}

// 2 x 2 ranks exchange halves of 256 x 256 elements across the diagonal.
TEST(Ptrans, ExchangesPartsAcrossTheDiagonal) {
  EXPECT_EQ(ptrans_calls(0, 4), before + after);
  EXPECT_EQ(ptrans_calls(1, 4), before + "SR>2:131072<2:131072 " + after);
}

// 2 x 4 ranks have two parts each, of 64 x 64 elements.
TEST(Ptrans, TakesOnePartnerAfterTheOther) {
  EXPECT_EQ(ptrans_calls(0, 8), before + "SR>2:32768<2:32768 " + after);
  EXPECT_EQ(ptrans_calls(1, 8), before + "SR>4:32768<6:32768 SR>6:32768<4:32768 " + after);
}

// On 2 x 3 ranks each has a part for every rank: a block of 64, since 4 blocks are dealt out to 6.
TEST(Ptrans, ExchangesWithAllRanksOnGridsWithoutCommonDivisor) {
  EXPECT_EQ(ptrans_calls(0, 6), before +
                                    "SR>3:32768<3:32768 SR>2:32768<1:32768 SR>5:32768<4:32768 SR>1:32768<2:32768 "
                                    "SR>4:32768<5:32768 " +
                                    after);
}

TEST(Ptrans, PadsMatricesToWholeBlocks) {
  EXPECT_EQ(ptrans_calls(1, 4, {{"matrix", "257"}, {"block", "100"}}),  // 3 blocks, 2 for a position
            before + "SR>2:320000<2:320000 " + after);
  EXPECT_EQ(ptrans_calls(1, 4, {{"matrix", "257"}, {"block", "1"}}), before + "SR>2:133128<2:133128 " + after);
}

TEST(Ptrans, PutsRanksAtListedPositions) {
  EXPECT_EQ(ptrans_calls(3, 4, {{"positions", "2,3,1,0"}}), before + "SR>1:131072<1:131072 " + after);
  EXPECT_EQ(ptrans_calls(2, 4, {{"positions", "2,3,1,0"}}), before + after);
}

TEST(Ptrans, PutsRanksAtPositionsByChance) {
  const auto partners = [](const std::string& seed) {
    std::string text;
    for (int rank = 0; rank < 16; ++rank) text += ptrans_calls(rank, 16, {{"positions", "random:" + seed}}) + '\n';
    return text;
  };
  EXPECT_EQ(partners("7"), partners("7"));
  EXPECT_NE(partners("7"), partners("8"));
}

TEST(Ptrans, SplitsLongMessages) {
  EXPECT_EQ(ptrans_calls(1, 4, {{"matrix", "10000"}, {"block", "10"}}),  // 25 million elements
            before + "SR>2:100000000<2:100000000 SR>2:100000000<2:100000000 " + after);
}

TEST(Ptrans, IsTheFormulaAndMeetsOnEveryGrid) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 8, 12, 13, 16}) {
    for (const Options& options : {Options{}, Options{{"matrix", "37"}, {"block", "4"}, {"positions", "random:3"}},
                                   Options{{"grid", std::to_string(ranks) + "x1"}, {"matrix", "5"}, {"block", "2"}}}) {
      const auto motif = configured("ptrans", options, ranks);
      expect_traffic_equals_call_lists(*motif, ranks);
      expect_matching_messages(*motif, ranks);
    }
  }
}

}  // namespace
}  // namespace stressbench::test
