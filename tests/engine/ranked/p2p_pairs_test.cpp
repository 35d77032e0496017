// The motifs of pairs and neighbours make the calls of the benchmarks that define them, in their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expected_calls.hpp"

namespace stressbench::test {
namespace {

class PairCalls : public testing::TestWithParam<ExpectedCalls> {};

TEST_P(PairCalls, AreThoseOfTheirDefinition) { expect_calls(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, PairCalls,
    testing::Values(
        ExpectedCalls{"sendrecv", {{"size", "5"}}, {"SR>1:5<1:5", "SR>0:5<0:5"}},
        ExpectedCalls{"sendrecv", {{"size", "5"}}, {"SR>1:5<2:5", "SR>2:5<0:5", "SR>0:5<1:5"}},
        ExpectedCalls{"sendrecv", {{"size", "16"}, {"layout", "vector"}}, {"SR>1:16<1:16", "SR>0:16<0:16"}},
        ExpectedCalls{"exchange",
                      {{"size", "5"}},
                      {"Is>1:1:5 Is>2:1:5 R<2:1:5 R<1:1:5 Wa(2)", "Is>2:1:5 Is>0:1:5 R<0:1:5 R<2:1:5 Wa(2)",
                       "Is>0:1:5 Is>1:1:5 R<1:1:5 R<0:1:5 Wa(2)"}},
        ExpectedCalls{"exchange",
                      {{"size", "5"}},
                      {"Is>1:1:5 Is>1:1:5 R<1:1:5 R<1:1:5 Wa(2)", "Is>0:1:5 Is>0:1:5 R<0:1:5 R<0:1:5 Wa(2)"}},
        ExpectedCalls{"pingping", {{"size", "5"}}, {"Is>1:1:5 R<1:1:5 W(1)", "Is>0:1:5 R<0:1:5 W(1)", ""}},
        ExpectedCalls{"one_way_delay", {{"size", "9"}, {"clocks", "raw"}}, {"S>1:1:9 R<1:1:9", "R<0:1:9 S>0:1:9", ""}},
        ExpectedCalls{"bandwidth",
                      {{"size", "64"}, {"window", "3"}},
                      {"Is>1:1:64 Is>1:1:64 Is>1:1:64 Wa(3) R<1:1:4", "Ir<0:1:64 Ir<0:1:64 Ir<0:1:64 Wa(3) S>0:1:4"}},
        ExpectedCalls{"bandwidth",
                      {{"size", "64"}, {"window", "2"}, {"direction", "both"}},
                      {"Ir<1:1:64 Ir<1:1:64 Is>1:1:64 Is>1:1:64 Wa(2) Wa(2)",
                       "Ir<0:1:64 Ir<0:1:64 Is>0:1:64 Is>0:1:64 Wa(2) Wa(2)"}},
        ExpectedCalls{"bandwidth",
                      {{"size", "64"}, {"window", "1"}, {"pairs", "halves"}},
                      {"Is>2:1:64 Wa(1) R<2:1:4", "Is>3:1:64 Wa(1) R<3:1:4", "Ir<0:1:64 Wa(1) S>0:1:4",
                       "Ir<1:1:64 Wa(1) S>1:1:4"}}));

struct Figure {
  std::string motif;
  Options options;
  double bytes;
  std::int64_t messages;
};

TEST(PairBandwidths, CountWhatTheirDefinitionSays) {
  const std::vector<Figure> figures{
      {"pingpong", {{"size", "100"}}, 200, 0},  // with half of the round-trip time, as in OSU and IMB
      {"pingping", {{"size", "100"}}, 100, 0},  // IMB x1
      {"sendrecv", {{"size", "100"}}, 200, 0},  // IMB x2
      {"exchange", {{"size", "100"}}, 400, 0},  // IMB x4
      {"bandwidth", {{"size", "100"}, {"window", "64"}}, 2 * 6400, 2 * 64},  // osu_mbw_mr: all pairs
      {"bandwidth", {{"size", "100"}, {"window", "64"}, {"direction", "both"}}, 4 * 6400, 4 * 64}};
  for (const auto& [name, options, bytes, messages] : figures) {
    const auto bandwidth = make_motif(name, options)->bandwidth(5);  // two pairs and one idle rank
    ASSERT_TRUE(bandwidth) << name;
    EXPECT_EQ(bandwidth->bytes, bytes) << name;
    EXPECT_EQ(bandwidth->messages, messages) << name;
  }
}

TEST(PairObservers, AreTheRanksWhoseTimeIsThePatterns) {
  if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  const mpi::Group group = first_ranks(3);
  if (!group) return;
  const std::vector<std::tuple<std::string, Options, std::vector<bool>>> cases{
      {"sendrecv", {}, {true, true, true}},    {"exchange", {}, {true, true, true}},
      {"pingping", {}, {true, true, false}},   {"one_way_delay", {}, {true, false, false}},
      {"bandwidth", {}, {true, false, false}}, {"bandwidth", {{"timer", "loop"}}, {true, true, false}}};
  for (const auto& [name, options, is_timed] : cases) {
    const MotifBench bench(group, name, options);
    EXPECT_EQ(bench->is_timed(), is_timed[static_cast<std::size_t>(group.rank())]) << name;
  }
}

}  // namespace
}  // namespace stressbench::test
