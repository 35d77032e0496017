// The messages of the NAS Parallel Benchmarks, by their formulas.
#include <cmath>

#include "messages.hpp"
#include "motifs/application/npb/keys.hpp"

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

TEST(NpbBt, SendsAlongEachAxisAsIfEveryCellWereOfTheLargestSize) {
  // 3 x 3 ranks, 64^3 points: cells have 22, 21 or 21 points along each side, messages between them room for 22.
  const CallLists lists("npb", benchmark("bt", "A"), 9);
  std::map<std::int64_t, std::int64_t> along_axes;  // by bytes
  for (const auto& [message, times] : lists.sent()) {
    const auto& [from, to, tag, bytes] = message;
    if (tag % 1000 != 0) along_axes[bytes] += times;
  }
  // 3 axes, 2 borders between planes of 9 cells; the first cell of a plane has the tag of the faces.
  EXPECT_EQ(along_axes,
            (std::map<std::int64_t, std::int64_t>{{8 * 30 * 22 * 22, 3 * 2 * 8}, {8 * 5 * 22 * 22, 3 * 2 * 8}}));
}

TEST(NpbBt, ExchangesTwoLayersOfTheCellsThatHaveANeighbour) {
  // 2 x 2 ranks, cells of 6^3 points; one of the two cells of a rank has a neighbour above, the other one below.
  const CallLists lists("npb", benchmark("bt", "S"), 4);
  const std::int64_t faces = 2 * 80 * 6 * 6;
  const std::int64_t along_axis = 8 * (30 + 5) * 7 * 7;
  EXPECT_EQ(lists.bytes_to(0),
            (std::map<int, std::int64_t>{{1, faces + along_axis}, {2, faces + along_axis}, {3, faces + along_axis}}));
}

TEST(NpbSp, SendsTheLinesOfPointsInsideTheMesh) {
  // 2 x 2 ranks, cells of 6^3 points, of which 5 x 5 lines are not at the border of the mesh.
  const CallLists lists("npb", benchmark("sp", "S"), 4);
  const std::int64_t bytes = 2 * 80 * 6 * 6 + 8 * (22 + 10) * 5 * 5;
  EXPECT_EQ(lists.bytes_to(3), (std::map<int, std::int64_t>{{0, bytes}, {1, bytes}, {2, bytes}}));
}

TEST(NpbBtAndSp, TakeTheStepsOfTheirClass) {
  for (const auto& [name, steps] : {std::pair{"bt", 60}, std::pair{"sp", 100}}) {
    Options run = benchmark(name, "S");
    run.emplace_back("run", "");
    const std::int64_t once = CallLists("npb", benchmark(name, "S"), 9).traffic().messages;
    EXPECT_EQ(once, 9 * (6 + 3 * 2 * 2));
    EXPECT_EQ(CallLists("npb", run, 9).traffic().messages, steps * once);
  }
}

TEST(NpbBtAndSp, AnnounceTheSumOfAllCallLists) {
  for (const std::string name : {"bt", "sp"}) {
    for (const int ranks : {1, 4, 9, 49, 441}) {
      const CallLists lists("npb", {{"benchmark", name}, {"class", "A"}, {"run", ""}, {"scale", "0.5"}}, ranks);
      const Traffic sum = lists.sum_of_call_lists();
      const Traffic announced = lists.traffic();
      EXPECT_EQ(announced.messages, sum.messages) << name << ranks;
      EXPECT_EQ(announced.message_bytes, sum.message_bytes) << name << ranks;
      EXPECT_EQ(announced.collectives, 0) << name << ranks;
      EXPECT_NEAR(announced.compute_s, sum.compute_s, 1e-9 * sum.compute_s) << name << ranks;
    }
  }
}

TEST(NpbBtAndSp, SendNothingOnOneRank) {
  EXPECT_EQ(CallLists("npb", benchmark("bt", "S"), 1).traffic().messages, 0);
  EXPECT_EQ(CallLists("npb", benchmark("sp", "S"), 1).traffic().messages, 0);
}

// Counts that a rank passes to each Alltoallv, in order.
std::vector<std::vector<int>> counts_of_alltoallv(const calls::CallList& calls, int calls::Alltoallv::*which) {
  std::vector<std::vector<int>> counts;
  for (const calls::Call& call : calls.calls()) {
    if (const auto* alltoallv = std::get_if<calls::Alltoallv>(&call)) counts.push_back(calls.list(alltoallv->*which));
  }
  return counts;
}

TEST(NpbIs, GivesEveryRankTheKeysThatOthersSendToIt) {
  for (const auto& [size, ranks] : {std::pair{"S", 128}, std::pair{"W", 256}, std::pair{"A", 8}, std::pair{"D", 4},
                                    std::pair{"E", 64}, std::pair{"E", 1024}}) {
    const CallLists lists("npb", benchmark("is", size), ranks);
    for (int from = 0; from < ranks; ++from) {
      const std::vector<int> sent = counts_of_alltoallv(lists.of(from), &calls::Alltoallv::counts_to)[0];
      for (int to = 0; to < ranks; to += 1 + ranks / 9) {
        const std::vector<int> received = counts_of_alltoallv(lists.of(to), &calls::Alltoallv::counts_from)[0];
        ASSERT_EQ(sent[static_cast<std::size_t>(to)], received[static_cast<std::size_t>(from)]) << size << ' ' << ranks;
      }
    }
  }
}

TEST(NpbIs, SendsEveryKeyOnce) {
  const CallLists lists("npb", benchmark("is", "D"), 32);
  EXPECT_EQ(lists.traffic().collective_bytes, 4 * (std::int64_t{1} << 31) + 32 * 4 * 32 + 32 * 4 * (1024 + 5));
}

TEST(NpbIs, SendsTheKeysThatTheBenchmarkDrawsAndReplaces) {
  Options run = benchmark("is", "S");
  run.emplace_back("run", "");
  const CallLists lists("npb", run, 4);
  // As captured: each iteration replaces two keys of rank 0 by a small and a large one.
  const auto sent = counts_of_alltoallv(lists.of(0), &calls::Alltoallv::counts_to);
  ASSERT_EQ(sent.size(), 10u);
  EXPECT_EQ(sent.front(), (std::vector{4143, 4039, 4108, 4094}));
  EXPECT_EQ(sent.back(), (std::vector{4147, 4032, 4103, 4102}));
  const auto received = counts_of_alltoallv(lists.of(3), &calls::Alltoallv::counts_from);
  EXPECT_EQ(received.front(), (std::vector{4094, 4078, 3995, 4120}));
  EXPECT_EQ(received.back(), (std::vector{4102, 4078, 3995, 4120}));
}

TEST(NpbIs, ExpectsAboutAsManyKeysInABucketAsThereAre) {
  const npb::KeyRange range{23, 19, 10};
  const npb::Keys drawn = npb::draw_keys(range, 4, 0);
  const npb::Keys expected = npb::expected_keys(range, 4);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::int64_t keys = 0;
    for (std::size_t bucket = 0; bucket < 1024; ++bucket) {
      const int count = expected.of_rank[rank][bucket];
      keys += count;
      EXPECT_NEAR(drawn.of_rank[rank][bucket], count, 5 * std::sqrt(count) + 5) << bucket;
    }
    EXPECT_EQ(keys, std::int64_t{1} << 21);
  }
}

TEST(Npb, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 256; ranks *= 2) {
    for (const char* size : {"S", "W", "A"}) {
      expect_matching_messages(*configured("npb", benchmark("cg", size), ranks), ranks);
      expect_matching_messages(*configured("npb", benchmark("mg", size), ranks), ranks);
    }
  }
  expect_matching_messages(*configured("npb", benchmark("mg", "S"), 4096), 4096);
  for (const int ranks : {1, 2, 4, 6, 9, 12, 15, 16, 18, 20, 28, 35, 64}) {
    for (const char* size : {"A", "B"})
      expect_matching_messages(*configured("npb", benchmark("lu", size), ranks), ranks);
  }
  for (const int side : {1, 2, 3, 4, 5, 8, 13}) {
    for (const char* name : {"bt", "sp"})
      expect_matching_messages(*configured("npb", benchmark(name, "A"), side * side), side * side);
  }
}

// The smallest class only: the others have up to millions of messages.
TEST(Npb, ReceivesWhatIsSentInAWholeRun) {
  for (const int side : {1, 2, 3, 4}) {
    for (const char* name : {"lu", "sp"}) {
      const Options run{{"benchmark", name}, {"class", "S"}, {"run", ""}};
      expect_matching_messages(*configured("npb", run, side * side), side * side);
    }
  }
}

}  // namespace
}  // namespace stressbench::test
