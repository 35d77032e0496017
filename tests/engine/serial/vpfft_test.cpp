#include "call_lists.hpp"

namespace stressbench::test {
namespace {

const std::string sum = "Allreduce:8 ";

// 5 x 5 x 5 points on 4 ranks: planes 2, 2, 1, 0; lines in x 7, 7, 7, 4. Rank 2 has the short block of planes: it takes
// the others in descending order there, in ascending order back.
TEST(Vpfft, TransformsFiveComponentsForwardAndBackwardInEachIteration) {
  const auto motif = configured("vpfft", {{"nx", "5"}, {"solver-iterations", "2"}}, 4);
  const std::string transform =
      "SR>1:224<1:224 SR>3:128<3:0 SR>2:224<2:112 SR>2:112<2:224 SR>3:0<3:128 SR>1:224<1:224 ";
  EXPECT_EQ(calls_of(*motif, 0, 4), repeated(25, sum) + repeated(2, repeated(10, transform) + repeated(12, sum)) +
                                        repeated(10, transform) + "Barrier");
}

TEST(Vpfft, OnlyReducesOnOneRank) {
  const auto motif = configured("vpfft", {{"solver-iterations", "1"}}, 1);
  EXPECT_EQ(calls_of(*motif, 0, 1), repeated(25 + 12, sum) + "Barrier");
}

TEST(Vpfft, IsTheFormulaAndMeetsOnEveryNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 8, 13}) {
    for (const Options& options : {Options{{"nx", "7"}}, Options{{"nx", "5"}, {"ny", "4"}, {"nz", "2"}},
                                   Options{{"nx", "12"}, {"ny", "3"}, {"call", "pairwise,alltoallv"}}}) {
      const auto motif = configured("vpfft", options, ranks);
      expect_traffic_equals_call_lists(*motif, ranks);
      expect_matching_messages(*motif, ranks);
    }
  }
}

TEST(Vpfft, RefusesMoreBytesThanCanBeCounted) {
  const auto iterations = [](const std::string& number) {
    return Options{{"nx", "10000"}, {"ny", "10000"}, {"nz", "1000"}, {"solver-iterations", number}};
  };
  EXPECT_NO_THROW(configured("vpfft", iterations("1000"), 16));
  EXPECT_THROW(configured("vpfft", iterations("1000000"), 16), ParameterMistake);
}

// Ranks have different numbers of planes, some none, but equally many lines.
TEST(Vpfft, IsTheFormulaAndMeetsInStages) {
  for (const int ranks : {4, 6, 8, 9, 12, 16}) {
    for (const char* call : {"staged,pairwise", "recursive,pairwise", "staged,pairwise,recursive,pairwise"}) {
      const auto motif = configured("vpfft", {{"nx", "11"}, {"ny", "12"}, {"nz", "12"}, {"call", call}}, ranks);
      expect_traffic_equals_call_lists(*motif, ranks);
      expect_matching_messages(*motif, ranks);
    }
  }
}

// 5 x 4 x 2 points on 4 ranks: planes 2, 2, 1, 0; lines 2 each. Ranks 0 and 1 exchange and 2 and 3, then 0 and 2 and 1
// and 3.
TEST(Vpfft, TransposesInTwoStagesThere) {
  const auto motif = configured("vpfft", {{"nx", "5"}, {"ny", "4"}, {"nz", "2"}, {"call", "staged,pairwise"}}, 4);
  EXPECT_THAT(calls_of(*motif, 0, 4), testing::StartsWith(repeated(25, sum) + "SR>1:128<1:128 SR>2:128<2:32 SR>"));
  EXPECT_THAT(calls_of(*motif, 2, 4), testing::StartsWith(repeated(25, sum) + "SR>3:64<3:0 SR>0:32<0:128 SR>"));
}

TEST(Vpfft, HasCallsOfItsOwnThereAndBackForwardAndBackward) {
  const Options options{{"nx", "4"}, {"solver-iterations", "1"}, {"call", "staged,pairwise,alltoall,staged"}};
  const std::string transforms = repeated(5, "SR>1:128<1:128 SR>2:128<2:128 SR>3:64<3:64 SR>2:64<2:64 SR>1:64<1:64 ") +
                                 repeated(5, "Alltoall:64 SR>1:128<1:128 SR>2:128<2:128 ");
  EXPECT_EQ(calls_of(*configured("vpfft", options, 4), 0, 4),
            repeated(25, sum) + transforms + repeated(12, sum) + transforms + "Barrier");
}

}  // namespace
}  // namespace stressbench::test
