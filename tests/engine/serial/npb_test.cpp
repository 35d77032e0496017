// The messages of the NAS Parallel Benchmarks, by their formulas.
#include "messages.hpp"

namespace stressbench::test {
namespace {

Options benchmark(const std::string& name, const std::string& size) { return {{"benchmark", name}, {"class", size}}; }

TEST(NpbCg, SumsUpHalvesOfTheRowsWhereColumnsAreTwiceAsMany) {
  // 8 ranks: 2 rows and 4 columns of blocks. 7000 of 14000 rows each; pieces of 3500.
  const CallLists lists("npb", benchmark("cg", "A"), 8);
  EXPECT_EQ(lists.bytes_to(2), (std::map<int, std::int64_t>{{0, 8 * 3500 + 16},  // two columns away
                                                            {3, 8 * 3500 + 16},  // adjacent
                                                            {4, 8 * 3500}}));    // transposed
}

TEST(NpbCg, GivesTheFirstBlocksOneRowMore) {
  // 1400 rows on 16 x 8 blocks: 175 per row of blocks; columns of 88 and 87.
  const CallLists lists("npb", benchmark("cg", "S"), 128);
  EXPECT_EQ(lists.bytes_to(0).at(1), 8 * 87 + 16);
  EXPECT_EQ(lists.bytes_to(1).at(0), 8 * 88 + 16);
}

TEST(NpbCg, RunsAllThatIsTimed) {
  const std::int64_t inner = CallLists("npb", benchmark("cg", "S"), 4).traffic().messages;
  Options run = benchmark("cg", "S");
  run.emplace_back("run", "");
  EXPECT_EQ(inner, 16);
  EXPECT_EQ(CallLists("npb", run, 4).traffic().messages, 15 * (4 + 25 * inner + (inner - 4) + 4));
}

TEST(NpbFt, TransposesOnceInSlabsAndTwiceInPencils) {
  const Traffic slabs = CallLists("npb", benchmark("ft", "W"), 32).traffic();
  EXPECT_EQ(slabs.collectives, 1 + 1);
  EXPECT_EQ(slabs.collective_bytes, 16 * 128 * 128 * 32 + 32 * 16);
  const Traffic pencils = CallLists("npb", benchmark("ft", "W"), 64).traffic();  // 32 x 2
  EXPECT_EQ(pencils.collectives, 32 + 2 + 1);
  EXPECT_EQ(pencils.collective_bytes, 2 * 16 * 128 * 128 * 32 + 64 * 16);
}

TEST(NpbMg, ExchangesTheBordersOfEveryLevel) {
  // 2 ranks, divided in the third dimension, 32^3 points: levels of 2, 4, 8, 16 and 32 points per side.
  const CallLists lists("npb", benchmark("mg", "S"), 2);
  std::int64_t bytes = 0;
  for (int side = 2; side <= 32; side *= 2) {
    const std::int64_t z = side / 2;
    const std::int64_t exchange = 2 * 8 * (side * z + (side + 2) * z + (side + 2) * (side + 2));
    bytes += exchange * (side == 2 ? 2 : 3);
  }
  EXPECT_EQ(lists.traffic().message_bytes, 2 * bytes);
}

TEST(NpbMg, ReceivesIntoRoomForTheLargestFace) {
  const CallLists lists("npb", benchmark("mg", "S"), 2);
  for (const calls::Call& call : lists.of(0).calls()) {
    const auto* irecv = std::get_if<calls::Irecv>(&call);
    if (irecv == nullptr) continue;
    EXPECT_EQ(irecv->in.capacity * size_of(irecv->type), 8 * 2 * 34 * 34);
    EXPECT_LT(irecv->in.count, irecv->in.capacity);
  }
}

TEST(NpbMg, LeavesOutRanksWithoutPointsAndRanksBeyondThePowerOfTwo) {
  const CallLists lists("npb", benchmark("mg", "S"), 70);
  EXPECT_TRUE(lists.of(69).calls().empty());
  EXPECT_FALSE(lists.of(63).calls().empty());
}

TEST(NpbLu, SweepsPlaneByPlane) {
  // 2 x 2 ranks with 6 x 6 of 12^3 points: inner blocks of 5 x 5; 10 inner planes, in both directions.
  const CallLists lists("npb", benchmark("lu", "S"), 4);
  EXPECT_EQ(lists.bytes_to(0),
            (std::map<int, std::int64_t>{{1, 10 * 40 * 5 + 80 * 6 * 12}, {2, 10 * 40 * 5 + 80 * 6 * 12}}));
  EXPECT_EQ(lists.traffic().messages, 4 * (10 + 10) + 8);
}

TEST(Npb, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 256; ranks *= 2) {
    for (const char* size : {"S", "W", "A"}) {
      expect_all_received("npb", benchmark("cg", size), ranks);
      expect_all_received("npb", benchmark("mg", size), ranks);
    }
  }
  expect_all_received("npb", benchmark("mg", "S"), 4096);
  for (const int ranks : {1, 2, 4, 6, 9, 12, 15, 16, 18, 20, 28, 35, 64}) {
    expect_all_received("npb", benchmark("lu", "A"), ranks);
    expect_all_received("npb", {{"benchmark", "lu"}, {"class", "B"}, {"run", ""}}, ranks);
  }
}

}  // namespace
}  // namespace stressbench::test
