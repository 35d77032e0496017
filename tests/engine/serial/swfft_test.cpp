#include "call_lists.hpp"

namespace stressbench::test {
namespace {

TEST(Swfft, RoundTripMovesTheMeshTenTimes) {
  // cubes 3 x 2 x 2
  const Traffic twelve = configured("swfft", {{"ngx", "96"}, {"dfft-timing", "0"}}, 12)->traffic(12);
  EXPECT_EQ(twelve.messages, 12 * (4 * 3 + 4 * 2 + 2 * 2));
  EXPECT_EQ(twelve.message_bytes, 160LL * 96 * 96 * 96);
  EXPECT_EQ(twelve.collectives, 0);
  const Traffic driven = configured("swfft", {{"driver", ""}, {"dfft-timing", "0"}}, 8)->traffic(8);
  EXPECT_EQ(driven.collectives, 3 + 16);
}

// A time that is printed takes four reductions and a barrier.
TEST(Swfft, PrintsTheTimesThatItWasBuiltToPrint) {
  const auto collectives = [](const Options& options) {
    return configured("swfft", options, 8)->traffic(8).collectives;
  };
  EXPECT_EQ(collectives({{"dfft-timing", "1"}}), 2 * (7 + 2 * 5));
  EXPECT_EQ(collectives({{"dfft-timing", "2"}}), 2 * (7 + 10 * 5));
  EXPECT_EQ(collectives({}), 2 * (7 + 10 * 5));
  EXPECT_EQ(collectives({{"driver", ""}}), 2 * (7 + 10 * 5) + 3 + 16);
}

std::string words(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

// As Dfft::forward and Dfft::backward of SWFFT on one rank: eight stages each, of which the last has no barrier of its
// own.
TEST(Swfft, HasABarrierAfterEachStageButTheLast) {
  const std::string step = "Ir<0:0:1024 Is>0:0:1024 W(1) W(1)";
  const std::string time = "Allreduce:8 Allreduce:8 Allreduce:8 Allreduce:8 Barrier";
  const std::string b = "Barrier";
  const auto calls = [](const char* timing) {
    return calls_of(*configured("swfft", {{"ngx", "4"}, {"dfft-timing", timing}}, 1), 0, 1);
  };
  EXPECT_THAT(calls("0"), testing::StartsWith(words({step, step, step, step, step, step})));
  EXPECT_THAT(calls("1"),
              testing::StartsWith(words({step, b, b, step, b, step, b, b, step, b, step, b, time, time, b, step})));
  EXPECT_THAT(calls("2"),
              testing::StartsWith(words({step, time, b, time, b,    step, time, b,    step, time, b, time, b,
                                         step, time, b, step, time, b,    time, time, time, time, b, step})));
  EXPECT_THAT(calls("1"), testing::EndsWith(words({b, b, step, time, time})));
  EXPECT_THAT(calls("2"), testing::EndsWith(words({time, b, time, b, step, time, time, time})));
}

TEST(Swfft, IsTheFormulaAndMeetsOnEveryGrid) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8, 12, 16, 18, 24, 36, 60}) {
    for (const Options& options : {Options{{"ngx", std::to_string(2 * ranks)}},
                                   Options{{"ngx", std::to_string(ranks)}, {"ngz", std::to_string(3 * ranks)}},
                                   Options{{"ngx", std::to_string(2 * ranks)}, {"dfft-timing", "1"}},
                                   Options{{"ngx", std::to_string(2 * ranks)}, {"driver", ""}, {"dfft-timing", "0"}},
                                   Options{{"ngx", std::to_string(2 * ranks)}, {"driver", ""}}}) {
      const auto motif = configured("swfft", options, ranks);
      expect_traffic_equals_call_lists(*motif, ranks);
      expect_matching_messages(*motif, ranks);
    }
  }
}

// The sender and receiver of each step.
std::string peers_of(const Motif& motif, int rank, int ranks) {
  std::string text;
  for_each_executed_call(call_list_motif(motif).calls_of(rank, ranks), [&](const calls::Call& call) {
    if (const auto* irecv = std::get_if<calls::Irecv>(&call)) {
      text += (text.empty() ? "" : " ") + std::to_string(irecv->in.from);
    }
    if (const auto* isend = std::get_if<calls::Isend>(&call)) text += ">" + std::to_string(isend->out.to);
  });
  return text;
}

// Redistributions of a rank: x, x, y, y, z and back. Cubes 3 x 2 x 2. Pencils along x 2 x 6, since neither 4 x 3 nor 3
// x 4 nest; along y 3 x 4 (transposed), along z 3 x 4 (transposed).
TEST(Swfft, MakesPencilsThatFitIntoItsCubes) {
  const auto motif = configured("swfft", {{"ngx", "24"}}, 12);
  EXPECT_EQ(peers_of(*motif, 7, 12),
            "3>3 7>7 11>11 3>3 7>7 11>11 5>5 7>7 5>5 7>7 6>6 7>7 "
            "6>6 7>7 5>5 7>7 5>5 7>7 3>3 7>7 11>11 3>3 7>7 11>11");
  EXPECT_THAT(calls_of(*motif, 7, 12), testing::StartsWith("Ir<3:0:6144 Is>3:0:6144 W(1) W(1) Ir<7:0:6144"));
}

// Cubes 3 x 2 x 1; pencils 2 x 3 along x, the transposed 3 x 2.
TEST(Swfft, TurnsPencilsThatDoNotFit) {
  const auto motif = configured("swfft", {{"ngx", "12"}}, 6);
  EXPECT_EQ(peers_of(*motif, 4, 6),
            "0>0 2>2 4>4 0>0 2>2 4>4 4>4 5>5 4>4 5>5 4>4 4>4 4>4 5>5 4>4 5>5 0>0 2>2 4>4 0>0 2>2 4>4");
}

TEST(Swfft, ComputesBeforeItReceives) {
  const auto motif = configured("swfft", {{"ngx", "4"}}, 1);
  EXPECT_EQ(call_list_motif(*motif).calls_of(0, 1).computations(), 10 * 2 + 6u);
  EXPECT_TRUE(std::holds_alternative<calls::Compute>(call_list_motif(*motif).calls_of(0, 1).calls().front()));
}

}  // namespace
}  // namespace stressbench::test
