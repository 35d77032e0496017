#include <numeric>

#include "call_lists.hpp"
#include "calls/transpose.hpp"

namespace stressbench::test {
namespace {

TEST(Tournament, IsOfPairsInEachRoundAndOfAllAgainstAll) {
  for (int players = 1; players <= 17; ++players) {
    std::vector<std::vector<int>> opponents;
    for (int k = 0; k < players; ++k) opponents.push_back(calls::tournament(k, players));
    std::vector<int> all_ranks(static_cast<std::size_t>(players));
    std::iota(all_ranks.begin(), all_ranks.end(), 0);
    for (std::size_t k = 0; k < opponents.size(); ++k) {
      for (std::size_t round = 0; round < opponents.size(); ++round) {
        EXPECT_EQ(opponents[static_cast<std::size_t>(opponents[k][round])][round], k) << players << " players";
      }
      EXPECT_THAT(opponents[k], testing::UnorderedElementsAreArray(all_ranks)) << players << " players";
    }
  }
}

TEST(Blocks, OfFftwAreEqualUntilNothingIsLeft) {
  const calls::Blocks twelve = calls::Blocks::equal(12, 5);
  EXPECT_EQ((std::vector{twelve[0], twelve[3], twelve[4]}), (std::vector<std::int64_t>{3, 3, 0}));
  EXPECT_EQ(twelve.nonempty_count(), 4);
  const calls::Blocks ten = calls::Blocks::equal(10, 4);
  EXPECT_EQ((std::vector{ten[2], ten[3]}), (std::vector<std::int64_t>{3, 1}));
}

TEST(Fft2d, IsTheFormulaAndMeetsOnEveryNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 4, 5, 8, 13, 30, 31}) {
    for (const char* call : {"pairwise", "alltoallv"}) {
      for (const Options& options :
           {Options{{"call", call}, {"nx", "24"}}, Options{{"call", call}, {"nx", "23"}, {"ny", "11"}},
            Options{{"call", call}, {"nx", "7"}, {"ny", "50"}, {"barrier", ""}},
            Options{{"call", call}, {"nx", "7"}, {"ny", "50"}, {"transposed-in", ""}, {"barrier", ""}},
            Options{{"call", call}, {"nx", "23"}, {"ny", "11"}, {"transposed-out", ""}},
            Options{{"call", call}, {"nx", "23"}, {"ny", "11"}, {"transposed-in", ""}, {"transposed-out", ""}}}) {
        const auto motif = configured("fft2d", options, ranks);
        expect_traffic_equals_call_lists(*motif, ranks);
        expect_matching_messages(*motif, ranks);
      }
    }
  }
}

// 20 rows in blocks of 7, 7 and 6; 17 columns in 6, 6 and 5: as captured with FFTW 3.3.10.
TEST(Fft2d, RankWithACutBlockTakesTheOthersInOrder) {
  const auto motif = configured("fft2d", {{"nx", "20"}, {"ny", "17"}, {"barrier", ""}}, 3);
  EXPECT_EQ(calls_of(*motif, 0, 3),
            "Barrier SR>2:560<2:576 SR>1:672<1:672 SR>1:672<1:672 SR>2:576<2:560 SR>2:560<2:576 SR>1:672<1:672 "
            "SR>1:672<1:672 SR>2:576<2:560");
}

// 7 rows leave ranks 4 and 5 without rows, but not without columns (50): they exchange empty messages.
TEST(Fft2d, RankWithoutRowsTakesPartWhereItHasColumns) {
  const auto motif = configured("fft2d", {{"nx", "7"}, {"ny", "50"}}, 6);
  EXPECT_THAT(calls_of(*motif, 4, 6), testing::StartsWith("SR>2:0<2:288 SR>3:0<3:144 SR>1:0<1:288 SR>0:0<0:288 "
                                                          "SR>5:0<5:0 SR>5:0<5:0 SR>0:288<0:0 SR>1:288<1:0"));
  EXPECT_EQ(calls_of(*configured("fft2d", {{"nx", "5"}}, 8), 6, 8), "");
}

// As captured with FFTW 3.3.10, in place: FFTW_MPI_TRANSPOSED_OUT forward, FFTW_MPI_TRANSPOSED_IN backward.
TEST(Fft2d, LeavesOutTheTransposeBackWhereTheOutputIsTransposed) {
  const auto motif = configured("fft2d", {{"nx", "20"}, {"ny", "17"}, {"transposed-out", ""}}, 3);
  EXPECT_EQ(calls_of(*motif, 0, 3), "SR>2:560<2:576 SR>1:672<1:672 SR>1:672<1:672 SR>2:576<2:560");
  EXPECT_EQ(calls_of(*motif, 2, 3), "SR>0:576<0:560 SR>1:576<1:560 SR>1:560<1:576 SR>0:560<0:576");
}

// As captured: rows and columns have changed their places, so that the forward transform begins with 17 rows.
TEST(Fft2d, BeginsWithColumnsWhereTheInputIsTransposed) {
  const auto motif = configured("fft2d", {{"nx", "20"}, {"ny", "17"}, {"transposed-in", ""}}, 3);
  EXPECT_EQ(calls_of(*motif, 0, 3), "SR>1:672<1:672 SR>2:576<2:560 SR>2:560<2:576 SR>1:672<1:672");
}

// As captured: FFTW transposes there and back where it has neither order to change.
TEST(Fft2d, TransposesBackWhereInputAndOutputAreTransposed) {
  const auto motif =
      configured("fft2d", {{"nx", "20"}, {"ny", "17"}, {"transposed-in", ""}, {"transposed-out", ""}}, 3);
  const std::string once = "SR>1:672<1:672 SR>2:576<2:560 SR>2:560<2:576 SR>1:672<1:672";
  EXPECT_EQ(calls_of(*motif, 0, 3), once + " " + once);
}

// FFTW takes only the bits of a tag that every MPI library has (mpi/transpose-pairwise.c).
TEST(Fft2d, TagsStayBelow32768) {
  const auto motif = configured("fft2d", {{"nx", "400"}}, 200);
  std::vector<int> tags;
  for_each_executed_call(call_list_motif(*motif).calls_of(199, 200), [&](const calls::Call& call) {
    if (const auto* both = std::get_if<calls::SendReceive>(&call); both != nullptr && both->out.to == 198) {
      tags = {both->out.tag, both->in.tag};
    }
  });
  EXPECT_EQ(tags, (std::vector{199 * 200 + 198 - 32768, 198 * 200 + 199 - 32768}));
}

TEST(Fft2d, IsTheFormulaAndMeetsInStages) {
  for (const int ranks : {4, 6, 8, 9, 10, 12, 16}) {
    for (const char* call : {"staged", "recursive"}) {
      for (const Options& options : {Options{{"call", call}, {"nx", "720"}, {"ny", "1440"}},
                                     Options{{"call", call}, {"nx", "720"}, {"transposed-out", ""}}}) {
        const auto motif = configured("fft2d", options, ranks);
        expect_traffic_equals_call_lists(*motif, ranks);
        expect_matching_messages(*motif, ranks);
      }
    }
  }
}

// 8 ranks: pairs, then four ranks each with the same place in their pair; these in pairs again.
TEST(Fft2d, TransposesInStagesAmongFewerRanksEach) {
  const Options mesh{{"nx", "8"}, {"ny", "64"}};
  Options options = mesh;
  options.emplace_back("call", "staged");
  EXPECT_THAT(calls_of(*configured("fft2d", options, 8), 0, 8),
              testing::StartsWith("SR>1:512<1:512 SR>6:256<6:256 SR>4:256<4:256 SR>2:256<2:256 SR>1:"));
  options.back().second = "recursive";
  EXPECT_THAT(calls_of(*configured("fft2d", options, 8), 0, 8),
              testing::StartsWith("SR>1:512<1:512 SR>2:512<2:512 SR>4:512<4:512 SR>1:"));
}

TEST(Fft3d, IsTheFormulaAndMeetsInSlabsAndInPencils) {
  for (const int ranks : {1, 2, 3, 4, 6, 8, 12, 13}) {
    for (const char* call : {"pairwise", "alltoallv"}) {
      for (const char* decomposition : {"slabs", "pencils"}) {
        const auto motif = configured(
            "fft3d", {{"call", call}, {"decomposition", decomposition}, {"nx", "17"}, {"ny", "14"}, {"nz", "23"}},
            ranks);
        expect_traffic_equals_call_lists(*motif, ranks);
        expect_matching_messages(*motif, ranks);
      }
    }
  }
}

TEST(Fft3d, IsTheFormulaAndMeetsInTransposedSlabs) {
  for (const int ranks : {1, 2, 3, 4, 6, 8, 12, 13}) {
    for (const char* call : {"pairwise", "alltoallv"}) {
      for (const Options& transposed : {Options{{"transposed-in", ""}}, Options{{"transposed-out", ""}},
                                        Options{{"transposed-in", ""}, {"transposed-out", ""}}}) {
        Options options{{"call", call}, {"nx", "17"}, {"ny", "14"}, {"nz", "23"}};
        options.insert(options.end(), transposed.begin(), transposed.end());
        const auto motif = configured("fft3d", options, ranks);
        expect_traffic_equals_call_lists(*motif, ranks);
        expect_matching_messages(*motif, ranks);
      }
    }
  }
}

// As captured with FFTW 3.3.10: 9 planes in blocks of 3, 3, 3 and none; 14 lines of 5 points in 4, 4, 4 and 2. Without
// the option the 70 lines along x are in blocks of 18, 18, 18 and 16.
TEST(Fft3d, DividesTheSecondAxisWhereTheOutputIsTransposed) {
  const Options mesh{{"nx", "9"}, {"ny", "14"}, {"nz", "5"}};
  Options transposed = mesh;
  transposed.emplace_back("transposed-out", "");
  EXPECT_EQ(calls_of(*configured("fft3d", transposed, 4), 0, 4),
            "SR>3:480<3:0 SR>2:960<2:960 SR>1:960<1:960 SR>3:0<3:480 SR>2:960<2:960 SR>1:960<1:960");
  EXPECT_THAT(calls_of(*configured("fft3d", mesh, 4), 0, 4),
              testing::StartsWith("SR>3:768<3:0 SR>2:864<2:864 SR>1:864<1:864 SR>3:0<3:768"));
}

TEST(Fft3d, AlltoallNeedsEqualBlocksOfTheAxesThatAreDivided) {
  const Options options{{"nx", "12"}, {"ny", "6"}, {"nz", "2"}, {"call", "alltoall"}};
  EXPECT_EQ(calls_of(*configured("fft3d", options, 4), 0, 4), "Alltoall:144 Alltoall:144 Alltoall:144 Alltoall:144");
  Options transposed = options;
  transposed.emplace_back("transposed-out", "");
  EXPECT_THROW(configured("fft3d", transposed, 4), ParameterMistake);
  EXPECT_EQ(calls_of(*configured("fft3d", transposed, 3), 0, 3), "Alltoall:256 Alltoall:256");
}

TEST(Fft3d, PencilsExchangeWithinRowsThenWithinColumns) {
  const auto motif = configured(
      "fft3d", {{"decomposition", "pencils"}, {"call", "alltoall"}, {"nx", "12"}, {"ny", "24"}, {"nz", "8"}}, 6);
  // 3 x 2 ranks: the 2 of a row exchange 4 * 12 * 4 points each, the 3 of a column 4 * 8 * 4
  EXPECT_EQ(calls_of(*motif, 5, 6), "Alltoall:3072 Alltoall:2048 Alltoall:2048 Alltoall:3072");
  const calls::CallList calls = call_list_motif(*motif).calls_of(5, 6);
  ASSERT_EQ(calls.splits().size(), 2u);
  EXPECT_EQ(calls.splits()[0].colour, 2);
  EXPECT_EQ(calls.splits()[0].ranks.size, 2);
  EXPECT_EQ(calls.splits()[1].colour, 1);
  EXPECT_EQ(calls.splits()[1].ranks.size, 3);
  EXPECT_EQ(motif->traffic(6).collectives, 2 * 3 + 2 * 2);
}

TEST(Fft3d, MovesTheMeshOnceATranspose) {
  const Traffic slabs = configured("fft3d", {}, 8)->traffic(8);
  EXPECT_EQ(slabs.messages, 224);
  EXPECT_EQ(slabs.message_bytes, 229'376'000);
}

}  // namespace
}  // namespace stressbench::test
