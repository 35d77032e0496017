// The calls of motif stencil: its grid of ranks, sizes from the cells of a rank, and what it refuses.
#include "call_lists.hpp"
#include "messages.hpp"
#include "rejection.hpp"

namespace stressbench::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string stencil_calls(const Options& options, int rank, int ranks) {
  return calls_of(*configured("stencil", options, ranks), rank, ranks);
}

Options with_calls(const std::string& calls, const Options& more = {}) {
  Options options{{"calls", calls}};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

// Collectives as `reduce max 2xINT root 1 on 0`: those of all ranks are on 0.
std::string collectives_of(const calls::CallList& list) {
  std::string text;
  const auto add = [&]<class C>(const C& one) {
    if constexpr (calls::IsCollective<C>) {
      text += (text.empty() ? "" : ", ") + std::string(calls::mpi_function(one));
      if constexpr (calls::IsReduction<C>) text += fmt::format(" {}", name_of(one.op));
      if constexpr (requires { one.count; }) text += fmt::format(" {}x{}", one.count, calls::size_of(one.type));
      if constexpr (requires { one.root; }) text += fmt::format(" root {}", one.root);
      text += fmt::format(" on {}", one.comm);
    }
  };
  for (const calls::Call& call : list.calls()) std::visit(add, call);
  return text;
}

std::string stencil_collectives(const std::string& calls, int ranks = 4) {
  return collectives_of(CallLists("stencil", with_calls(calls, {{"mesh", "10x4"}}), ranks).of(0));
}

// The size of a message of rank 0 on a line of ranks along x, which sends it to rank 1.
std::int64_t bytes_of(const std::string& size, const std::string& mesh, int ranks) {
  const std::string grid = fmt::format("{}x1x1", ranks);
  const CallLists lists(
      "stencil", with_calls(fmt::format("sendrecv +x {0} -x {0}", size), {{"mesh", mesh}, {"grid", grid}}), ranks);
  return lists.bytes_to(0).at(1);
}

TEST(StencilDefault, ExchangesLayersWithTheNeighboursThatThereAre) {
  EXPECT_EQ(stencil_calls({}, 0, 4), "Ir<2:0:4000 Ir<1:0:4000 Is>2:0:4000 Is>1:0:4000 Wa(4) Allreduce:8");
  EXPECT_EQ(stencil_calls({}, 3, 4), "Ir<1:0:4000 Ir<2:0:4000 Is>1:0:4000 Is>2:0:4000 Wa(4) Allreduce:8");
}

TEST(StencilDefault, HasFourNeighboursInTheMiddle) {
  EXPECT_EQ(stencil_calls({{"mesh", "9x6"}}, 4, 9),
            "Ir<1:0:16 Ir<7:0:16 Ir<3:0:24 Ir<5:0:24 Is>1:0:16 Is>7:0:16 Is>3:0:24 Is>5:0:24 Wa(8) Allreduce:8");
  EXPECT_EQ(stencil_calls({{"mesh", "9x6"}}, 2, 9), "Ir<5:0:16 Ir<1:0:24 Is>5:0:16 Is>1:0:24 Wa(4) Allreduce:8");
}

TEST(StencilDefault, OfASingleRankHasNoMessages) { EXPECT_EQ(stencil_calls({}, 0, 1), "Wa(0) Allreduce:8"); }

TEST(StencilBlocks, TheFirstHaveOneMoreCellAndAMessageHasTheSizeOfItsSender) {
  // 10 cells in x on 4 ranks: 3, 3, 2, 2.
  const Options options = with_calls("irecv -x 8*x; isend +x 8*x; waitall", {{"mesh", "10x1"}, {"grid", "4x1"}});
  EXPECT_EQ(stencil_calls(options, 1, 4), "Ir<0:0:24 Is>2:0:24 Wa(2)");
  EXPECT_EQ(stencil_calls(options, 2, 4), "Ir<1:0:24 Is>3:0:16 Wa(2)");
  EXPECT_EQ(stencil_calls(options, 3, 4), "Ir<2:0:16 Wa(1)");
}

TEST(StencilPeriodic, TheLastRankIsFollowedByTheFirst) {
  const Options options = with_calls("irecv -x 8*y; isend +x 8*y; waitall", {{"periodic", "x"}, {"grid", "0x1"}});
  EXPECT_EQ(stencil_calls(options, 0, 3), "Ir<2:0:8000 Is>1:0:8000 Wa(2)");
  EXPECT_EQ(stencil_calls(options, 2, 3), "Ir<1:0:8000 Is>0:0:8000 Wa(2)");
}

TEST(StencilPeriodic, OnTwoRanksBothNeighboursAreTheSame) {
  const Options options = {{"periodic", "xy"}, {"grid", "2x1"}, {"mesh", "4x1"}};
  EXPECT_EQ(stencil_calls(options, 1, 2),
            "Ir<0:0:8 Ir<0:0:8 Ir<1:0:16 Ir<1:0:16 Is>0:0:8 Is>0:0:8 Is>1:0:16 Is>1:0:16 Wa(8) Allreduce:8");
}

TEST(StencilPeriodic, StepsOfMoreThanAWholeTurnAreTakenRound) {
  const auto from_0_of_3 = [](const std::string& steps) {
    return stencil_calls(with_calls(fmt::format("irecv -{0}x 8; isend +{0}x 8; waitall", steps),
                                    {{"periodic", "x"}, {"mesh", "9x1"}, {"grid", "3x1"}}),
                         0, 3);
  };
  EXPECT_EQ(from_0_of_3("4"), "Ir<2:0:8 Is>1:0:8 Wa(2)");
  EXPECT_EQ(from_0_of_3("2147483647"), "Ir<2:0:8 Is>1:0:8 Wa(2)");  // 3 * 715827882 + 1
}

TEST(StencilPeriodic, OffsetsToTheSameRankAreTheSame) {
  const Options options = with_calls("isend +4x 8; isend -x 16; irecv -x 8; irecv -2x 16; waitall",
                                     {{"periodic", "x"}, {"mesh", "9x1"}, {"grid", "3x1"}});
  EXPECT_EQ(stencil_calls(options, 0, 3), "Is>1:0:8 Is>2:0:16 Ir<2:0:8 Ir<1:0:16 Wa(4)");
}

TEST(StencilOffsets, OfALongStepLeadBeyondTheBorder) {
  const Options options = with_calls(
      "irecv -2147483647x 8; isend +2147483647x 8; waitall; irecv -2x+y 8; "
      "isend +2x-y 8; waitall",
      {{"grid", "3x2"}});
  EXPECT_EQ(stencil_calls(options, 1, 6), "Wa(0) Is>4:0:8 Wa(1)");
  EXPECT_EQ(stencil_calls(options, 5, 6), "Wa(0) Wa(0)");
  EXPECT_EQ(stencil_calls(options, 4, 6), "Wa(0) Ir<1:0:8 Wa(1)");
}

TEST(StencilNumbering, IsThatOfMpiCartCreateOrFirstInX) {
  const auto partners = [](const std::string& fastest) {
    return CallLists("stencil",
                     with_calls("sendrecv +x 8 -x 8; sendrecv +y 16 -y 16; sendrecv +z 24 -z 24",
                                {{"mesh", "8x8x8"}, {"grid", "2x3x4"}, {"fastest", fastest}}),
                     24)
        .bytes_to(0);
  };
  EXPECT_THAT(partners("last"), ElementsAre(Pair(1, 24), Pair(4, 16), Pair(12, 8)));
  EXPECT_THAT(partners("first"), ElementsAre(Pair(1, 8), Pair(2, 16), Pair(6, 24)));
}

TEST(StencilGrid, IsAutomaticOrPartlyOrWhollyGiven) {
  const auto cells = [](const std::string& grid, int ranks) {
    return stencil_calls(with_calls("sendrecv +x x -x x; sendrecv +x y -x y", {{"mesh", "120x120"}, {"grid", grid}}), 0,
                         ranks);
  };
  EXPECT_EQ(cells("auto", 12), "SR>3:30<-1:30 SR>3:40<-1:40");
  EXPECT_EQ(cells("0x0", 12), cells("auto", 12));
  EXPECT_EQ(cells("0x1", 12), "SR>1:10<-1:10 SR>1:120<-1:120");
  EXPECT_EQ(cells("0x2", 12), "SR>2:20<-1:20 SR>2:60<-1:60");
  EXPECT_EQ(cells("3x4", 12), "SR>4:40<-1:40 SR>4:30<-1:30");
}

TEST(StencilGrid, HasOneToFourDimensions) {
  const auto neighbours = [](const std::string& mesh, const std::string& calls, int ranks) {
    return CallLists("stencil", with_calls(calls, {{"mesh", mesh}}), ranks).bytes_to(0);
  };
  EXPECT_THAT(neighbours("16", "sendrecv +x 8*X -x 8*X", 4), ElementsAre(Pair(1, 128)));
  EXPECT_THAT(neighbours("2x2x2x16", "sendrecv +x-t 8*T -x+t 8*T; sendrecv +x+y+z+t 8*t -x-y-z-t 8*t", 16),
              ElementsAre(Pair(15, 64)));
}

TEST(StencilSizes, AreProductsOfCellsMeshAndRanks) {
  EXPECT_EQ(bytes_of("16*(y+2)*z", "9x5x7", 3), 16 * 7 * 7);
  EXPECT_EQ(bytes_of("8*X/P", "9x5x7", 3), 8 * 9 / 3);
  EXPECT_EQ(bytes_of("x*Y*Z*P", "9x5x7", 3), 3 * 5 * 7 * 3);
  EXPECT_EQ(bytes_of("(x+10)", "9x5x7", 3), 13);
  EXPECT_EQ(bytes_of("24", "9x5x7", 3), 24);
}

TEST(StencilSizes, AreDividedAfterAllMultiplicationsAndRoundedDown) {
  EXPECT_EQ(bytes_of("1/4*x*x", "9x5x7", 3), 2);
  EXPECT_EQ(bytes_of("7/2/2", "9x5x7", 3), 1);
  EXPECT_EQ(bytes_of("1/2", "9x5x7", 3), 0);
}

TEST(StencilSizes, ThatDoNotDependOnCellsNeedNone) {
  EXPECT_EQ(stencil_calls(with_calls("sendrecv +x 8*X -x 8*X", {{"mesh", "1"}}), 1, 4), "SR>2:8<0:8");
}

TEST(StencilSizes, MayBeZero) {
  const Options options = with_calls("irecv -x 0*x; isend +x 0*x; waitall", {{"grid", "2x1"}});
  EXPECT_EQ(stencil_calls(options, 0, 2), "Is>1:0:0 Wa(1)");
}

TEST(StencilNullCalls, AreMadeToAndFromNobody) {
  const std::string calls =
      "irecv -x 8*x tag 1; isend +x 8*x tag 1; wait; wait; send +x 4; recv -x 4; irecv -x 8; isend +x 8; waitall";
  const auto calls_of_rank = [&](int rank, bool null_calls) {
    Options options = with_calls(calls, {{"mesh", "5x1"}, {"grid", "2x1"}});
    if (null_calls) options.emplace_back("null-calls", "");
    return stencil_calls(options, rank, 2);
  };
  EXPECT_EQ(calls_of_rank(0, false), "Is>1:1:24 W(1) S>1:0:4 Is>1:0:8 Wa(1)");
  EXPECT_EQ(calls_of_rank(0, true), "Ir<-1:1:24 Is>1:1:24 W(1) W(1) S>1:0:4 R<-1:0:4 Ir<-1:0:8 Is>1:0:8 Wa(2)");
  EXPECT_EQ(calls_of_rank(1, false), "Ir<0:1:24 W(1) R<0:0:4 Ir<0:0:8 Wa(1)");
  EXPECT_EQ(calls_of_rank(1, true), "Ir<0:1:24 Is>-1:1:16 W(1) W(1) S>-1:0:4 R<0:0:4 Ir<0:0:8 Is>-1:0:8 Wa(2)");
}

TEST(StencilNullCalls, AreNoTraffic) {
  const auto messages = [](const Options& options) { return CallLists("stencil", options, 6).traffic(); };
  const Traffic without = messages({});
  const Traffic with = messages({{"null-calls", ""}});
  EXPECT_EQ(with.messages, without.messages);
  EXPECT_EQ(with.message_bytes, without.message_bytes);
}

TEST(StencilSendrecv, IsACallBeyondTheBorderToo) {
  const Options options =
      with_calls("sendrecv +x 8*y -x 8*y; sendrecv +3x 4 -3x 4", {{"mesh", "3x5"}, {"grid", "3x1"}});
  EXPECT_EQ(stencil_calls(options, 0, 3), "SR>1:40<-1:40 SR>-1:4<-1:4");
  EXPECT_EQ(stencil_calls(options, 1, 3), "SR>2:40<0:40 SR>-1:4<-1:4");
  EXPECT_EQ(stencil_calls(options, 2, 3), "SR>-1:40<1:40 SR>-1:4<-1:4");
}

TEST(StencilSendrecv, MayHaveTwoTags) {
  const CallLists lists("stencil",
                        with_calls("sendrecv +x 8 -x 8 tag 3; sendrecv +x 8 +x 8 tag 4 5; "
                                   "sendrecv -x 8 -x 8 tag 5 4",
                                   {{"grid", "2x1"}}),
                        2);
  EXPECT_THAT(lists.sent(), ElementsAre(Pair(std::tuple{0, 1, 3, 8}, 1), Pair(std::tuple{0, 1, 4, 8}, 1),
                                        Pair(std::tuple{1, 0, 5, 8}, 1)));
}

// Slots of the requests that a rank waits for with single waits, and of those that it starts as `<` and `>`.
std::string requests_of(const std::string& calls, int rank) {
  const CallLists lists("stencil", with_calls(calls, {{"grid", "3x1"}}), 3);
  std::string text;
  for (const calls::Call& call : lists.of(rank).calls()) {
    if (const auto* irecv = std::get_if<calls::Irecv>(&call)) text += fmt::format(" <{}", irecv->request.slot);
    if (const auto* isend = std::get_if<calls::Isend>(&call)) text += fmt::format(" >{}", isend->request.slot);
    if (const auto* wait = std::get_if<calls::Wait>(&call)) text += fmt::format(" w{}", wait->request.slot);
    if (const auto* wait = std::get_if<calls::WaitAll>(&call))
      text += fmt::format(" w{}+{}", wait->requests.first, wait->requests.count);
  }
  return text;
}

TEST(StencilWait, IsForTheOldestRequestAndLeftOutWithItsCall) {
  const std::string calls = "irecv -x 8; irecv +x 8; wait; send +x 8; wait; send -x 8";  // there and back
  EXPECT_EQ(requests_of(calls, 0), " <0 w0");
  EXPECT_EQ(requests_of(calls, 1), " <0 <1 w0 w1");
  EXPECT_EQ(stencil_calls(with_calls(calls, {{"grid", "3x1"}}), 0, 3), "Ir<1:0:8 S>1:0:8 W(1)");
  EXPECT_EQ(stencil_calls(with_calls(calls, {{"grid", "3x1"}}), 2, 3), "Ir<1:0:8 W(1) S>1:0:8");
}

TEST(StencilWait, LeavesTheOtherRequestsToWaitall) {
  const std::string calls =
      "irecv -x 8; irecv +x 8; wait; isend +x 8; isend -x 8; waitall; irecv -x 4; isend +x 4; waitall";
  EXPECT_EQ(requests_of(calls, 0), " <0 >1 w0+2 >2 w2+1");
  EXPECT_EQ(requests_of(calls, 1), " <0 <1 w0 >2 >3 w1+3 <4 >5 w4+2");
  EXPECT_EQ(requests_of(calls, 2), " <0 w0 >1 w1+1 <2 w2+1");
}

TEST(StencilWait, MayBeForAllSendsOrAllReceives) {
  const std::string calls =
      "isend +x 8; irecv -x 8; isend -x 8; irecv +x 8; waitall sends; wait; wait; irecv -x 8; isend +x 8; waitall "
      "receives; waitall sends; irecv +x 8; isend -x 8; waitall";
  EXPECT_EQ(requests_of(calls, 0), " >1 <0 w1+1 w0 >2 w0+0 w2+1 <3 w3+1");
  EXPECT_EQ(requests_of(calls, 1), " >2 <0 >3 <1 w2+2 w0 w1 <4 >5 w4+1 w5+1 <6 >7 w6+2");
  EXPECT_EQ(requests_of(calls, 2), " <0 >1 w1+1 w0 <2 w2+1 w0+0 >3 w3+1");
}

TEST(StencilWait, MayBeForNothing) {
  EXPECT_EQ(stencil_calls(with_calls("irecv -x 8; waitall nothing; isend +x 8; waitall"), 0, 4),
            "Wa(0) Is>2:0:8 Wa(1)");
}

TEST(StencilLoops, AreRepeatedAndNested) {
  const Options options =
      with_calls("repeat 2; barrier; repeat 3; sendrecv +x 8 -x 8; end; allreduce 8; end; barrier", {{"grid", "2x1"}});
  const std::string pass = "Barrier " + repeated(3, "SR>1:8<-1:8 ") + "Allreduce:8 ";
  EXPECT_EQ(stencil_calls(options, 0, 2), pass + pass + "Barrier");
}

TEST(StencilLoops, AreNotUnrolled) {
  const Options options = with_calls("repeat 1000000; repeat 1000000; sendrecv +x 8 -x 8; end; end", {{"grid", "2x1"}});
  const CallLists lists("stencil", options, 2);
  EXPECT_EQ(lists.of(0).calls().size(), 5u);
  EXPECT_EQ(lists.traffic().messages, 1'000'000'000'000);
}

TEST(StencilStages, HaveThePartnerAcrossEachBitOfARank) {
  const auto partners = [](int rank, int ranks) {
    return stencil_calls(with_calls("stages; sendrecv ^ 8 ^ 8; end"), rank, ranks);
  };
  EXPECT_EQ(partners(0, 8), "SR>1:8<1:8 SR>2:8<2:8 SR>4:8<4:8");
  EXPECT_EQ(partners(5, 8), "SR>4:8<4:8 SR>7:8<7:8 SR>1:8<1:8");
  EXPECT_EQ(partners(3, 4), "SR>2:8<2:8 SR>1:8<1:8");
  EXPECT_EQ(partners(1, 2), "SR>0:8<0:8");
  EXPECT_EQ(partners(0, 1), "");
}

TEST(StencilStages, MayGoDown) {
  EXPECT_EQ(stencil_calls(with_calls("stages down; sendrecv ^ 8 ^ 8; end; barrier"), 5, 8),
            "SR>1:8<1:8 SR>7:8<7:8 SR>4:8<4:8 Barrier");
}

TEST(StencilStages, HaveSizesAndTagsOfTheStage) {
  const Options allgather = with_calls("stages; irecv ^ 24*S tag 5+k; isend ^ 24*S tag 5+k; wait; wait; end");
  EXPECT_EQ(stencil_calls(allgather, 6, 8),
            "Ir<7:5:24 Is>7:5:24 W(1) W(1) Ir<4:6:48 Is>4:6:48 W(1) W(1) Ir<2:7:96 Is>2:7:96 W(1) W(1)");
  const Options reduce_scatter =
      with_calls("stages down; irecv ^ 8*X*S/P tag S; isend ^ 8*X*S/P tag S; waitall; end", {{"mesh", "64"}});
  EXPECT_EQ(stencil_calls(reduce_scatter, 0, 4), "Ir<2:2:256 Is>2:2:256 Wa(2) Ir<1:1:128 Is>1:1:128 Wa(2)");
  EXPECT_EQ(stencil_calls(with_calls("stages; send ^ 64/S tag k; recv ^ 64/S tag k; end"), 1, 4),
            "S>0:0:64 R<0:0:64 S>3:1:32 R<3:1:32");
}

TEST(StencilStages, MayHaveAnotherOrderOnTheRankWithTheBit) {
  const Options ordered = with_calls("stages; send +^ 8 tag 3; recv -^ 8 tag 3; send -^ 8; recv +^ 8; end");
  EXPECT_EQ(stencil_calls(ordered, 1, 4), "R<0:3:8 S>0:0:8 S>3:3:8 R<3:0:8");
  EXPECT_EQ(stencil_calls(ordered, 2, 4), "S>3:3:8 R<3:0:8 R<0:3:8 S>0:0:8");
}

TEST(StencilStages, AreThoseOfATreeOnAnyNumberOfRanks) {
  const auto broadcast = [](const std::string& stages, int rank, int ranks) {
    return stencil_calls(with_calls(stages + "; recv parent 8; send child 8; end"), rank, ranks);
  };
  EXPECT_EQ(broadcast("stages down", 0, 6), "S>4:0:8 S>2:0:8 S>1:0:8");
  EXPECT_EQ(broadcast("stages down", 4, 6), "R<0:0:8 S>5:0:8");  // 6 and 7 are no ranks
  EXPECT_EQ(broadcast("stages down", 3, 6), "R<2:0:8");
  EXPECT_EQ(broadcast("stages down root 5", 5, 6), "S>3:0:8 S>1:0:8 S>0:0:8");
  EXPECT_EQ(broadcast("stages down root 5", 3, 6), "R<5:0:8 S>4:0:8");
  EXPECT_EQ(broadcast("stages highest", 0, 6), "S>1:0:8 S>2:0:8 S>4:0:8");
  EXPECT_EQ(broadcast("stages highest", 1, 6), "R<0:0:8 S>3:0:8 S>5:0:8");
  EXPECT_EQ(broadcast("stages highest", 5, 6), "R<1:0:8");
  EXPECT_EQ(stencil_calls(with_calls("stages; recv child 8; send parent 8; end"), 2, 8), "R<3:0:8 S>0:0:8");
}

TEST(StencilStages, OfATreeReachEachRankOnce) {
  for (const auto* stages : {"stages", "stages down", "stages highest", "stages down highest root 0"}) {
    for (int ranks = 1; ranks <= 33; ++ranks) {
      const CallLists lists(
          "stencil", with_calls(fmt::format("{}; irecv parent 8; wait; isend child 8; wait; end", stages)), ranks);
      std::map<int, int> messages_to;
      for (const auto& [message, times] : lists.sent()) messages_to[std::get<1>(message)] += static_cast<int>(times);
      EXPECT_EQ(messages_to.size(), static_cast<std::size_t>(ranks - 1)) << stages << " on " << ranks;
      EXPECT_EQ(messages_to.count(0), 0u);
      for (const auto& [rank, messages] : messages_to) EXPECT_EQ(messages, 1) << rank;
    }
  }
}

TEST(StencilStages, AreInLoopsAndHaveLoopsInThem) {
  const Options options = with_calls("repeat 2; stages; repeat 3; sendrecv ^ 8*S ^ 8*S; end; compute 5ns*S; end; end");
  const CallLists lists("stencil", options, 4);
  const std::string pass = repeated(3, "SR>1:8<1:8 ") + repeated(3, "SR>2:16<2:16 ");
  EXPECT_EQ(stencil_calls(options, 0, 4) + " ", pass + pass);
  EXPECT_DOUBLE_EQ(lists.traffic().compute_s, 2 * (5e-9 + 10e-9));
}

TEST(StencilStages, FollowCallsInTheGrid) {
  const Options options =
      with_calls("irecv -x 16; isend +x 16; waitall; stages; sendrecv ^ 4 ^ 4; end; allreduce 8", {{"grid", "0x1"}});
  EXPECT_EQ(stencil_calls(options, 0, 4), "Is>1:0:16 Wa(1) SR>1:4<1:4 SR>2:4<2:4 Allreduce:8");
}

TEST(StencilCalls, MayBeWrittenWithOtherBlanksAndEmptyOnes) {
  EXPECT_EQ(stencil_calls(with_calls("\n  barrier;;\tallreduce\n 8 ;"), 0, 1), "Barrier Allreduce:8");
}

TEST(StencilCollectives, AreOfAllRanks) {
  EXPECT_EQ(
      stencil_collectives("barrier; bcast 12; bcast 8*P root 3; allgather 16; allgather 12; alltoall 24; alltoall 9"),
      "Barrier on 0, Bcast 12x1 root 0 on 0, Bcast 4x8 root 3 on 0, Allgather 2x8 on 0, Allgather 12x1 on 0, "
      "Alltoall 3x8 on 0, Alltoall 9x1 on 0");
}

TEST(StencilCollectives, ReduceDoublesOrIntegers) {
  EXPECT_EQ(stencil_collectives("allreduce 24; allreduce 12 min; reduce 8 max root 2; reduce 16 sum; allreduce 8 user"),
            "Allreduce sum 3x8 on 0, Allreduce min 3x4 on 0, Reduce max 1x8 root 2 on 0, Reduce sum 2x8 root 0 on 0, "
            "Allreduce user 1x8 on 0");
}

TEST(StencilCollectives, AlongDimensionsAreOfTheRanksThatDifferInTheseOnly) {
  const std::string calls =
      "allreduce 8 along x; barrier along yz; bcast 8 root 3 along y; allreduce 8 min along x; barrier along none; "
      "barrier along zyx";
  for (const auto* fastest : {"last", "first"}) {
    const CallLists lists("stencil", with_calls(calls, {{"mesh", "4x4x4"}, {"grid", "2x4x3"}, {"fastest", fastest}}),
                          24);
    for (int rank = 0; rank < 24; ++rank) {
      const bool is_last = std::string(fastest) == "last";
      const int x = is_last ? rank / 12 : rank % 2;
      const int y = is_last ? rank / 3 % 4 : rank / 2 % 4;
      const int z = is_last ? rank % 3 : rank / 8;
      const auto& splits = lists.of(rank).splits();
      ASSERT_EQ(splits.size(), 4u);
      EXPECT_EQ(splits[0].ranks.rank, x);
      EXPECT_EQ(splits[0].ranks.size, 2);
      EXPECT_EQ(splits[0].colour, is_last ? y * 3 + z : z * 4 + y);
      EXPECT_EQ(splits[1].ranks.rank, is_last ? y * 3 + z : z * 4 + y);
      EXPECT_EQ(splits[1].ranks.size, 12);
      EXPECT_EQ(splits[1].colour, x);
      EXPECT_EQ(splits[2].ranks.rank, y);
      EXPECT_EQ(splits[2].ranks.size, 4);
      EXPECT_EQ(splits[3].ranks.rank, 0);  // alone
      EXPECT_EQ(splits[3].ranks.size, 1);
      EXPECT_EQ(splits[3].colour, rank);
      EXPECT_EQ(collectives_of(lists.of(rank)),
                "Allreduce sum 1x8 on 1, Barrier on 2, Bcast 1x8 root 3 on 3, Allreduce min 1x8 on 1, Barrier on 4, "
                "Barrier on 0");
    }
  }
}

TEST(StencilCollectives, MayHaveDifferentSizesOnDifferentCommunicators) {
  const CallLists lists("stencil", with_calls("allreduce 4*y along x", {{"mesh", "4x7"}, {"grid", "2x2"}}), 4);
  EXPECT_EQ(collectives_of(lists.of(0)), "Allreduce sum 2x8 on 1");  // 4 cells
  EXPECT_EQ(collectives_of(lists.of(1)), "Allreduce sum 3x4 on 1");  // 3 cells
}

TEST(StencilCompute, TakesTimesOfTheCellsOfARank) {
  const auto seconds = [](const std::string& calls) {
    return CallLists("stencil", with_calls(calls, {{"mesh", "5x4"}, {"grid", "2x1"}}), 2).traffic().compute_s;
  };
  EXPECT_DOUBLE_EQ(seconds("compute 100ns"), 100e-9);
  EXPECT_DOUBLE_EQ(seconds("compute 2.5ns*x*y"), 2.5e-9 * 4 * (3 + 2) / 2);  // average of the ranks
  EXPECT_DOUBLE_EQ(seconds("compute 1ns*x/2"), 1e-9 * 5 / 4);                // not rounded
  EXPECT_DOUBLE_EQ(seconds("repeat 3; compute 1e3ns*Y; end"), 12e-6);
  EXPECT_EQ(seconds("compute 0ns*x; barrier"), 0);
}

TEST(StencilMessages, AreAllReceivedOnEveryNumberOfRanks) {
  const std::vector<Options> patterns = {
      {},
      {{"periodic", "xy"}, {"null-calls", ""}},
      {{"fastest", "first"}, {"null-calls", ""}},
      with_calls("irecv -x 8*y tag 1; isend +x 8*y tag 1; irecv -x+y 24; wait; isend +x-y 24; wait; wait; wait; "
                 "sendrecv +y 4*x -y 4*x tag 3; recv -x 16*(y+2)*X/P; send +x 16*(y+2)*X/P; "
                 "repeat 2; irecv +2x 8*x; isend -2x 8*x; waitall; end; allreduce 8 min; bcast 8*y along x",
                 {{"periodic", "y"}, {"mesh", "61x48"}}),
      with_calls(
          "sendrecv +x 8*y*z -x 8*y*z; sendrecv +y 8*x*z -y 8*x*z tag 1; irecv -z 8*x*y; isend +z 8*x*y; waitall; "
          "irecv +z 4*x*y; isend -z 4*x*y; waitall; alltoall 8 along yz; barrier along none",
          {{"periodic", "xz"}, {"mesh", "37x29x31"}}),
      with_calls("irecv +x 8*y; irecv -y 8*x; isend -x 8*y; isend +y 8*x; waitall sends; waitall nothing; wait; wait",
                 {{"mesh", "61x48"}}),
      with_calls("irecv +x 8; isend -x 8; waitall; compute 3ns*x; allgather 24", {{"mesh", "50"}, {"periodic", "x"}}),
      with_calls("stages highest; irecv parent 24 tag 1+k; waitall; isend child 24 tag 1+k; waitall; end; "
                 "stages; recv child 16; send parent 16; end; irecv -x 8*y; isend +x 8*y; waitall"),
      with_calls("irecv -x-y-z-t x*y; isend +x+y+z+t x*y; waitall", {{"mesh", "25x26x27x28"}, {"periodic", "xyzt"}}),
  };
  const std::vector<Options> of_powers_of_two = {
      with_calls("stages; irecv ^ 8*y*S tag k; isend ^ 8*y*S tag k; waitall; end; stages down; sendrecv ^ 4 ^ 4; end"),
      with_calls("stages; send +^ 8; recv -^ 8; send -^ 16 tag 2+S; recv +^ 16 tag 2+S; send ^ 4; recv ^ 4; end"),
      with_calls("stages down; recv parent 8*S; send child 8*S; end"),
  };
  for (const Options& options : of_powers_of_two) {
    for (const int ranks : {1, 2, 4, 8, 16, 32}) {
      const auto motif = configured("stencil", options, ranks);
      expect_matching_messages(*motif, ranks);
      expect_traffic_equals_call_lists(*motif, ranks);
    }
  }
  for (const Options& options : patterns) {
    for (int ranks = 1; ranks <= 24; ++ranks) {
      const auto motif = configured("stencil", options, ranks);
      expect_matching_messages(*motif, ranks);
      expect_traffic_equals_call_lists(*motif, ranks);
    }
  }
}

class StencilRefusals : public testing::TestWithParam<Rejection> {};

TEST_P(StencilRefusals, NameTheCallAndWhatWouldFit) { expect_rejection(GetParam()); }

Rejection refused_calls(const std::string& calls, const std::string& message) {
  return {"stencil", {{"calls", calls}}, 4, "calls", message};
}

Rejection refused(const std::string& option, const std::string& text, const std::string& message) {
  return {"stencil", {{option, text}}, 4, option, message};
}

INSTANTIATE_TEST_SUITE_P(
    OfText, StencilRefusals,
    testing::Values(
        refused_calls("", "must have a call: sendrecv +x 8*y -x 8*y"), refused_calls(" ; ", "must have a call"),
        refused_calls("barrier; ircv -x 8", "call 2, 'ircv -x 8': 'ircv' is no call; did you mean irecv?"),
        refused_calls("gatherall 8",
                      "'gatherall' is no call; expected one of compute, send, recv, isend, irecv, sendrecv, "),
        refused_calls("barrier;\n send", "call 2, 'send': the offset is missing"),
        refused_calls("send +x", "the size is missing"),
        refused_calls("sendrecv", "the offset of the receiver is missing"),
        refused_calls("sendrecv +x", "the size of the message to send is missing"),
        refused_calls("sendrecv +x 8", "the offset of the sender is missing"),
        refused_calls("sendrecv +x 8 -x", "the size of the message to receive is missing"),
        refused_calls("isend x 8", "'x' is no offset; expected steps in one or more dimensions, each once: +x, -y"),
        refused_calls("isend +x+x 8", "'+x+x' is no offset"), refused_calls("isend +0x 8", "'+0x' is no offset"),
        refused_calls("isend +a 8", "'+a' is no offset"), refused_calls("isend +x2y 8", "'+x2y' is no offset"),
        refused_calls("isend +x+ 8", "'+x+' is no offset"), refused_calls("isend +ax 8", "must be a whole number"),
        refused_calls("isend +2147483648x 8", "an offset of 2147483648 is too large"),
        refused_calls("isend +x 8 tag", "the tag is missing"),
        refused_calls("isend +x 8 tag -1", "must be a whole number of digits"),
        refused_calls("isend +x 8 tag 2147483648", "tag 2147483648 is too large"),
        refused_calls("isend +x 8 tag 1 2", "'2' is not expected here"),
        refused_calls("sendrecv +x 8 -x 8 tag 1 2 3", "'3' is not expected here"),
        refused_calls("wait 1", "'1' is not expected here"), refused_calls("barrier 8", "'8' is not expected here"),
        refused_calls("allreduce 8 root 1", "'root' is not expected here"),
        refused_calls("allreduce 8 sum max", "'max' is not expected here"),
        refused_calls("bcast 8 sum", "'sum' is not expected here"), refused_calls("bcast", "the size is missing"),
        refused_calls("bcast 8 root", "the root is missing"), refused_calls("bcast 8 along", "a dimension is missing"),
        refused_calls("bcast 8 along xx", "must be none, or names of dimensions, each once: xy"),
        refused_calls("compute", "the time is missing"),
        refused_calls("compute 5", "'5' is no time; expected nanoseconds, times a size: 2.5ns*x*y"),
        refused_calls("compute 5nsx", "'5nsx' is no time"), refused_calls("compute ns", "must be a number"),
        refused_calls("compute 5ns*", "'' is no factor"), refused_calls("repeat", "how often is missing"),
        refused_calls("repeat 0; end", "call 1, 'repeat 0': a loop has one pass or more"),
        refused_calls("repeat 2147483648; end", "a loop of 2147483648 is too large"),
        refused_calls("repeat 2; barrier", "a loop does not end; expected 'end' for each 'repeat'"),
        refused_calls("barrier; end", "call 2, 'end': there is no loop to end"),
        refused_calls("wait", "there is no request to wait for"),
        refused_calls("irecv -x 8; wait; waitall", "call 3, 'waitall': there is no request to wait for"),
        refused_calls("irecv -x 8; waitall sends; waitall", "call 2, 'waitall sends': there is no request to wait for"),
        refused_calls("irecv -x 8; isend +x 8; waitall receives", "requests are pending when the iteration ends"),
        refused_calls("irecv -x 8; waitall nothing", "requests are pending when the iteration ends"),
        refused_calls("irecv -x 8; waitall some", "'some' is not expected here"),
        refused_calls("irecv -x 8; repeat 2; waitall; end",
                      "call 2, 'repeat 2': requests are pending when a loop begins; expected waitall before"),
        refused_calls("repeat 2; irecv -x 8; end; waitall", "call 3, 'end': requests are pending when a loop ends"),
        refused_calls("irecv -x 8", "requests are pending when the iteration ends; expected waitall before")));

INSTANTIATE_TEST_SUITE_P(
    OfSizes, StencilRefusals,
    testing::Values(
        refused_calls("bcast 8*q",
                      "'q' is no factor; expected a whole number, cells of a rank (x, y, z, t; or with more: "
                      "(x+2)), cells of the mesh (X, Y, Z, T), P for the number of ranks, or S for 2^k in stage k"),
        refused_calls("bcast 8*", "'' is no factor"), refused_calls("bcast /8", "'' is no factor"),
        refused_calls("bcast -8", "'-8' is no factor"), refused_calls("bcast (x+)", "'(x+)' is no factor"),
        refused_calls("bcast (x-2)", "'(x-2)' is no factor"), refused_calls("bcast (X+2)", "'(X+2)' is no factor"),
        refused_calls("bcast (x+9223372036854775807)", "'(x+9223372036854775807)' is no factor"),
        refused_calls("bcast 8/0", "8/0 divides by 0"),
        refused_calls("bcast 9223372036854775807*X", "9223372036854775807*X is more than 64 bits can count"),
        refused_calls("bcast 4294967296*4294967296", "is more than 64 bits can count"),
        refused_calls("bcast 17179869184", "a message of 17179869184 bytes is longer than MPI's counts allow"),
        refused_calls("sendrecv -x-y 17179869184 +x+y 17179869184", "is longer than MPI's counts allow"),
        // Rank 0 neither sends nor receives these.
        refused_calls("send +x-y 17179869184; recv -x+y 17179869184", "is longer than MPI's counts allow"),
        refused_calls("bcast 8*z", "--calls: there is z in them, but --mesh 1000x1000 has 2 dimensions"),
        refused_calls("bcast 8*T", "there is t in them"), refused_calls("sendrecv +z 8 -z 8", "there is z in them"),
        refused_calls("barrier along yz", "there is z in them"),
        refused_calls("compute 1e300ns", "a computation of 1e+300 ns; at most 2^62"),
        refused_calls("repeat 2147483647; repeat 2147483647; repeat 2147483647; end; end; end",
                      "calls of all ranks in an iteration; at most 2^62"),
        refused_calls("repeat 2147483647; allreduce 8000000000; end",
                      "bytes of all ranks in an iteration; at most 2^62")));

INSTANTIATE_TEST_SUITE_P(
    OfCollectives, StencilRefusals,
    testing::Values(
        refused_calls("allreduce 6", "6 bytes to reduce; expected a multiple of 4: integers, or of 8: doubles"),
        Rejection{"stencil", {{"mesh", "4x7"}, {"calls", "reduce 3*y along x"}}, 4, "calls", "3*y bytes to reduce"},
        refused_calls("bcast 8 root 4", "root 4, but the communicator has 4 ranks"),
        refused_calls("bcast 8 root 2 along x", "root 2, but the communicator has 2 ranks"),
        refused_calls("reduce 8 root 1 along none", "root 1, but the communicator has 1 ranks"),
        Rejection{"stencil",
                  {{"mesh", "10x7"}, {"calls", "allreduce 8*y"}},
                  4,
                  "calls",
                  "8*y bytes are 32 on one rank of the communicator and 24 on another; expected the same on all"},
        Rejection{"stencil", {{"mesh", "7x10"}, {"calls", "alltoall x along x"}}, 4, "calls", "x bytes are 4 on one"}));

INSTANTIATE_TEST_SUITE_P(
    OfMessages, StencilRefusals,
    testing::Values(
        refused_calls("isend +x 8*y; waitall",
                      "what is sent to +x with tag 0 is not what is received from -x: 8*y and nothing"),
        refused_calls("irecv +x-2y 8; waitall",
                      "what is sent to -x+2y with tag 0 is not what is received from +x-2y: nothing and 8"),
        refused_calls("isend +x 8; irecv -x 16; waitall", "received from -x: 8 and 16"),
        refused_calls("isend +x 8 tag 1; irecv -x 8 tag 2; waitall", "with tag 1 is not what is received"),
        refused_calls("isend +x 8; isend +x 4; irecv -x 4; irecv -x 8; waitall", "8, 4 and 4, 8"),
        refused_calls("isend +x 8; waitall; repeat 1; irecv -x 8; waitall; end", "8 and 8, but not in the same loop"),
        // The neighbours on both sides of two ranks are the same, which receives in the order in which it is sent to.
        Rejection{"stencil",
                  {{"calls", "isend +x 8; isend -x 16; irecv +x 16; irecv -x 8; waitall"},
                   {"periodic", "x"},
                   {"grid", "2x2"}},
                  4,
                  "calls",
                  "what is sent to +x with tag 0 is not what is received from -x: 8, 16 and 16, 8"},
        Rejection{"stencil",
                  {{"calls", "isend +x 8; waitall"}, {"periodic", "x"}, {"grid", "1x4"}},
                  4,
                  "calls",
                  "what is sent to itself with tag 0 is not what is received from itself: 8 and nothing"}));

INSTANTIATE_TEST_SUITE_P(
    OfStages, StencilRefusals,
    testing::Values(
        refused_calls("send ^ 8; recv ^ 8",
                      "call 1, 'send ^ 8': ^ has no meaning here; expected it between 'stages' and its 'end'"),
        refused_calls("barrier; recv parent 8", "call 2, 'recv parent 8': parent has no meaning here"),
        refused_calls("bcast 8*S", "S has no meaning here"),
        refused_calls("sendrecv +x 8 -x 8 tag k", "a tag that grows has no meaning here"),
        refused_calls("stages; sendrecv ^ 8 ^ 8; end; bcast S", "call 4, 'bcast S': S has no meaning here"),
        refused_calls("stages; sendrecv ^ 8 ^ 8", "a loop does not end; expected 'end' for each 'stages'"),
        refused_calls("stages; isend ^ 8; irecv ^ 8; end", "requests are pending when a loop ends"),
        refused_calls("irecv -x 8; stages; end", "requests are pending when a loop begins"),
        refused_calls("stages; stages; end; end", "call 2, 'stages': stages cannot have stages in them"),
        refused_calls("stages up; end", "'up' is not expected here"),
        refused_calls("stages root; end", "the root is missing"),
        refused_calls("stages; sendrecv +x 8 -x 8; end",
                      "+x is no partner in stages; expected ^, +^, -^, parent or child"),
        refused_calls("stages; sendrecv ^ 8 ^ 8; send parent 8; recv child 8; end",
                      "stages have messages across bits (^) or in a tree, not both; expected two loops"),
        refused_calls("stages root 1; sendrecv ^ 8 ^ 8; end",
                      "^ is in no tree; expected stages without root and 'highest'"),
        refused_calls("stages highest; sendrecv ^ 8 ^ 8; end", "^ is in no tree"),
        refused_calls("stages root 4; recv parent 8; send child 8; end", "root 4, but the job has 4 ranks"),
        refused_calls("stages; sendrecv ^ 8 ^ 8 tag 8-k; end",
                      "'8-k' is no tag; expected a whole number, or in stages k, S, 8+k, 8+S"),
        refused_calls("stages; sendrecv ^ 8 ^ 8 tag 2147483647+k; end", "tag 2147483647+1 is too large"),
        refused_calls("stages; send ^^ 8; end", "'^^' is no offset; expected steps in one or more dimensions"),
        refused_calls("stages; send ^ 8; recv ^ 16; end",
                      "what is sent to ^ with tag 0 is not what is received from ^: 8 and 16"),
        refused_calls("stages; send +^ 8; recv +^ 8; end",
                      "what is sent to +^ with tag 0 is not what is received from -^: 8 and nothing"),
        refused_calls("stages; send ^ 8; recv +^ 8; end",
                      "what is sent to +^ with tag 0 is not what is received from -^: 8 and nothing"),
        refused_calls("stages; send child 8; end",
                      "what is sent to child with tag 0 is not what is received from parent"),
        refused_calls("stages; send ^ 8 tag k; send ^ 16 tag 1; recv ^ 16 tag 1; recv ^ 8 tag k; end",
                      "what is sent to ^ with tag 1 is not what is received from ^: 8, 16 and 16, 8"),
        refused_calls("stages; allreduce 4/S; end", "4/S bytes to reduce; expected a multiple of 4"),
        refused_calls("stages; sendrecv ^ 8589934592*S ^ 8589934592*S; end", "is longer than MPI's counts allow"),
        Rejection{"stencil",
                  {{"calls", "stages; sendrecv ^ 8 ^ 8; end"}},
                  6,
                  "calls",
                  "^ in stages needs a power of two of ranks, but the job has 6; 4 or 8 would fit"},
        Rejection{"stencil",
                  {{"calls", "stages; recv child 8*S; send parent 8*S; end"}},
                  12,
                  "calls",
                  "S in stages needs a power of two of ranks, but the job has 12; 8 or 16 would fit"}));

INSTANTIATE_TEST_SUITE_P(
    OfGrids, StencilRefusals,
    testing::Values(refused("mesh", "", "must be"), refused("mesh", "12x", "must be"),
                    refused("mesh", "0x12", "must be cells in one"),
                    refused("mesh", "1x2x3x4x5", "must be cells in one to four dimensions: 240x240"),
                    refused("mesh", "2147483648x1", "must be cells in one to four dimensions"),
                    refused("mesh", "1x1000", "--mesh: 1 cells in x are too few for the 2 ranks of the grid 2x2 there"),
                    refused("grid", "2xa", "must be"),
                    refused("grid", "2147483648x1", "must be auto, or ranks in each dimension"),
                    refused("grid", "2x2x1", "--grid: 2x2x1 has 3 dimensions, but --mesh 1000x1000 has 2"),
                    refused("grid", "3x0", "--grid: 3x0 does not fit the 4 ranks of the job"),
                    refused("grid", "2x1", "--grid: 2x1 does not fit the 4 ranks of the job"),
                    refused("grid", "4x4", "--grid: 4x4 does not fit the 4 ranks of the job"),
                    Rejection{"stencil",
                              {{"mesh", "70000x70000x70000x70000"}, {"grid", "65536x65536x65536x65536"}},
                              4,
                              "grid",
                              "does not fit the 4 ranks of the job"},  // 2^64 ranks
                    refused("periodic", "", "must be none, or names of dimensions, each once: xy"),
                    refused("periodic", "xx", "must be none, or names of dimensions"),
                    refused("periodic", "w", "must be none"),
                    refused("periodic", "xz", "--periodic: there is z in them, but --mesh 1000x1000 has 2 dimensions"),
                    refused("fastest", "x", "one of last, first")));

TEST(StencilCheck, OfStagesLooksAtFewRanksToo) {
  const auto motif = MotifCatalogue::instance().make("stencil");
  motif->find("calls")->parse(
      "stages; sendrecv ^ 8*S ^ 8*S; end; stages down root 7; recv parent 8; send child 8; end");
  motif->check(1 << 20);
}

TEST(StencilCheck, OfManyRanksLooksAtFewOfThem) {
  const auto motif = MotifCatalogue::instance().make("stencil");
  motif->find("mesh")->parse("100000x100000x100000");
  motif->check(1'000'000);  // of all ranks' call lists it would take minutes
}

}  // namespace
}  // namespace stressbench::test
