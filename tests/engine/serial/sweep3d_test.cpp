#include "call_lists.hpp"

namespace stressbench::test {
namespace {

TEST(Sweep3d, TypicalRunOfTwelveIterationsSendsTwelveTimesAsMuch) {
  const auto motif = configured("sweep3d", {{"-n", "12"}}, 8);
  const Traffic run = motif->traffic(8);
  EXPECT_EQ(run.messages, 12 * 800);
  EXPECT_EQ(run.message_bytes, 12 * 3'840'000);
  EXPECT_EQ(run.collectives, 24);
  expect_traffic_equals_call_lists(*motif, 8);
}

TEST(Sweep3d, IsTheFormulaAndMeetsOnEveryGrid) {
  for (const int ranks : {1, 2, 3, 5, 6, 7, 12, 13, 24}) {
    const auto motif = configured(
        "sweep3d", {{"it-g", "37"}, {"jt-g", "29"}, {"kt", "11"}, {"mk", "4"}, {"mmi", "2"}, {"-n", "3"}}, ranks);
    expect_traffic_equals_call_lists(*motif, ranks);
    expect_matching_messages(*motif, ranks);
  }
}

TEST(Sweep3d, LastBlockOfPlanesIsSentWholeAndComputedInPart) {
  // 7 cells on 2 ranks: 4 and 3; 5 planes in blocks of 3: 3 and 2; 6 angles at once
  const auto motif =
      configured("sweep3d", {{"it-g", "7"}, {"jt-g", "5"}, {"kt", "5"}, {"mk", "3"}, {"mmi", "6"}, {"grid", "2x1"}}, 2);
  EXPECT_EQ(calls_of(*motif, 0, 2).substr(0, 73),
            "R<1:3000:720 R<1:3000:720 R<1:6000:720 R<1:6000:720 R<1:9000:720 R<1:9000");
  double computed = 0;
  for_each_executed_call(call_list_motif(*motif).calls_of(1, 2), [&](const calls::Call& call) {
    if (const auto* compute = std::get_if<calls::Compute>(&call)) computed += compute->duration_ns;
  });
  EXPECT_DOUBLE_EQ(computed, 3 * 5 * 5 * (6 * 4 * (17.0 + 12.5) + 4 + 3));
}

TEST(Sweep3d, MiddleOfALineReceivesBeforeItSends) {
  const auto motif = configured(
      "sweep3d", {{"it-g", "3"}, {"jt-g", "2"}, {"kt", "1"}, {"mk", "10"}, {"mmi", "6"}, {"grid", "3x1"}}, 3);
  EXPECT_EQ(calls_of(*motif, 1, 3),
            "R<2:3000:96 S>0:3000:96 R<2:6000:96 S>0:6000:96 R<2:9000:96 S>0:9000:96 R<2:12000:96 S>0:12000:96 "
            "R<0:5000:96 S>2:5000:96 R<0:6000:96 S>2:6000:96 R<0:7000:96 S>2:7000:96 R<0:8000:96 S>2:8000:96 "
            "Allreduce:4 Allreduce:8");
}

TEST(Sweep3d, RankAloneSweepsAnOctantAtOnce) {
  const auto motif = configured("sweep3d", {}, 1);
  EXPECT_EQ(call_list_motif(*motif).calls_of(0, 1).computations(), 8u + 2u);
  EXPECT_EQ(calls_of(*motif, 0, 1), "Allreduce:4 Allreduce:8");
}

}  // namespace
}  // namespace stressbench::test
