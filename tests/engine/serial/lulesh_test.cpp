#include "call_lists.hpp"

namespace stressbench::test {
namespace {

TEST(Lulesh, TimeStepOfACubeOfRanksIsTheFormula) {
  // 26-neighbour pairs of 3x3x3: 108 faces, 144 edges, 64 corners; of 4x4x4: 288, 432, 216
  EXPECT_EQ(configured("lulesh", {{"-s", "22"}}, 27)->traffic(27).messages, 316 + 158 + 108);
  EXPECT_EQ(configured("lulesh", {{"-s", "22"}}, 27)->traffic(27).message_bytes, 4'158'912);
  EXPECT_EQ(configured("lulesh", {}, 64)->traffic(64).messages, 936 + 468 + 288);
  EXPECT_EQ(configured("lulesh", {{"-s", "81"}}, 64)->traffic(64).message_bytes,
            2 * 24 * (288 * 82 * 82 + 432 * 82 + 216) + 24 * 288 * 81 * 81);
}

TEST(Lulesh, IsTheFormulaAndMeetsOnEveryCube) {
  for (const int ranks : {1, 8, 27, 64, 125}) {
    const auto motif = configured("lulesh", {{"-s", "5"}}, ranks);
    expect_traffic_equals_call_lists(*motif, ranks);
    expect_matching_messages(*motif, ranks);
  }
}

TEST(Lulesh, ComputesBetweenItsReceivesAndItsSends) {
  const auto motif = configured("lulesh", {{"-s", "2"}}, 27);
  std::string order;
  for_each_executed_call(call_list_motif(*motif).calls_of(13, 27), [&](const calls::Call& call) {
    const std::string word = std::holds_alternative<calls::Compute>(call) ? "compute" : token(call).substr(0, 2);
    if (!order.ends_with(word)) order += (order.empty() ? "" : " ") + word;
  });
  EXPECT_EQ(order, "compute Al Ir compute Is Wa W( Ir compute Is Wa W( compute Ir compute Is Wa W(");
}

TEST(Lulesh, RankInTheMiddleWaitsForEachOfItsNeighbours) {
  const auto motif = configured("lulesh", {{"-s", "1"}}, 27);
  const std::string calls = calls_of(*motif, 13, 27);
  EXPECT_THAT(calls, testing::StartsWith("Allreduce:8 Ir<4:1024:96 Ir<22:1024:96 Ir<10:1024:96 Ir<16:1024:96 "
                                         "Ir<12:1024:96 Ir<14:1024:96 Ir<9:1024:48"));
  EXPECT_THAT(calls, testing::EndsWith("Wa(26) W(1) W(1) W(1) W(1) W(1) W(1)"));
}

TEST(Lulesh, RankAloneOnlyReduces) { EXPECT_EQ(calls_of(*configured("lulesh", {}, 1), 0, 1), "Allreduce:8"); }

}  // namespace
}  // namespace stressbench::test
