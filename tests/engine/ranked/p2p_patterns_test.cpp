// Senders and receivers in the patterns of many simultaneous messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "expected_calls.hpp"

namespace stressbench::test {
namespace {

std::vector<std::string> calls_of(MotifBench& bench) {
  capture::start();
  bench.perform();
  return capture::stop().tokens;
}

class PatternCalls : public testing::TestWithParam<ExpectedCalls> {};

TEST_P(PatternCalls, PostAllMessagesAndThenWaitForThem) { expect_calls(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, PatternCalls,
    testing::Values(
        ExpectedCalls{"shift", {}, {"Ir<1:1:8 Is>1:1:8 Wa(2)", "Ir<0:1:8 Is>0:1:8 Wa(2)"}},
        ExpectedCalls{"shift",
                      {{"distance", "3"}},
                      {"Ir<1:1:8 Is>3:1:8 Wa(2)", "Ir<2:1:8 Is>0:1:8 Wa(2)", "Ir<3:1:8 Is>1:1:8 Wa(2)",
                       "Ir<0:1:8 Is>2:1:8 Wa(2)"}},
        ExpectedCalls{"compression", {}, {"Ir<1:1:40960 Is>1:1:40960 Wa(2)", "Ir<0:1:40960 Is>0:1:40960 Wa(2)"}},
        ExpectedCalls{
            "compression",
            {{"partners", "2"}, {"messages", "2"}, {"size", "9"}, {"pause", "10us"}, {"pause-after", "round"}},
            {"Ir<1:1:9 Ir<1:1:9 Ir<2:1:9 Ir<2:1:9 Is>3:1:9 Is>3:1:9 Is>2:1:9 Is>2:1:9 Wa(8)",
             "Ir<2:1:9 Ir<2:1:9 Ir<3:1:9 Ir<3:1:9 Is>0:1:9 Is>0:1:9 Is>3:1:9 Is>3:1:9 Wa(8)",
             "Ir<3:1:9 Ir<3:1:9 Ir<0:1:9 Ir<0:1:9 Is>1:1:9 Is>1:1:9 Is>0:1:9 Is>0:1:9 Wa(8)",
             "Ir<0:1:9 Ir<0:1:9 Ir<1:1:9 Ir<1:1:9 Is>2:1:9 Is>2:1:9 Is>1:1:9 Is>1:1:9 Wa(8)"}},
        ExpectedCalls{"compression",
                      {{"partners", "2"}, {"messages", "2"}, {"size", "9"}, {"pause", "10us"}},
                      {"Ir<1:1:9 Is>3:1:9 Ir<1:1:9 Is>3:1:9 Ir<2:1:9 Is>2:1:9 Ir<2:1:9 Is>2:1:9 Wa(8)",
                       "Ir<2:1:9 Is>0:1:9 Ir<2:1:9 Is>0:1:9 Ir<3:1:9 Is>3:1:9 Ir<3:1:9 Is>3:1:9 Wa(8)",
                       "Ir<3:1:9 Is>1:1:9 Ir<3:1:9 Is>1:1:9 Ir<0:1:9 Is>0:1:9 Ir<0:1:9 Is>0:1:9 Wa(8)",
                       "Ir<0:1:9 Is>2:1:9 Ir<0:1:9 Is>2:1:9 Ir<1:1:9 Is>1:1:9 Ir<1:1:9 Is>1:1:9 Wa(8)"}},
        ExpectedCalls{"tornado", {}, {"Ir<2:1:8 Is>1:1:8 Wa(2)", "Ir<0:1:8 Is>2:1:8 Wa(2)", "Ir<1:1:8 Is>0:1:8 Wa(2)"}},
        ExpectedCalls{"tornado",
                      {},
                      {"Ir<3:1:8 Is>1:1:8 Wa(2)", "Ir<0:1:8 Is>2:1:8 Wa(2)", "Ir<1:1:8 Is>3:1:8 Wa(2)",
                       "Ir<2:1:8 Is>0:1:8 Wa(2)"}},
        ExpectedCalls{"bisection", {}, {"Ir<1:1:8 Is>1:1:8 Wa(2)", "Ir<0:1:8 Is>0:1:8 Wa(2)", ""}},
        ExpectedCalls{"bisection",
                      {},
                      {"Ir<2:1:8 Is>2:1:8 Wa(2)", "Ir<3:1:8 Is>3:1:8 Wa(2)", "Ir<0:1:8 Is>0:1:8 Wa(2)",
                       "Ir<1:1:8 Is>1:1:8 Wa(2)"}},
        ExpectedCalls{"bisection", {{"cut", "best"}}, {"", "Ir<2:1:8 Is>2:1:8 Wa(2)", "Ir<1:1:8 Is>1:1:8 Wa(2)"}},
        ExpectedCalls{"bisection",
                      {{"cut", "best"}},
                      {"Ir<1:1:8 Is>1:1:8 Wa(2)", "Ir<0:1:8 Is>0:1:8 Wa(2)", "Ir<3:1:8 Is>3:1:8 Wa(2)",
                       "Ir<2:1:8 Is>2:1:8 Wa(2)"}},
        ExpectedCalls{"outcast", {}, {"Is>1:1:8 Is>2:1:8 Wa(2)", "Ir<0:1:8 Wa(1)", "Ir<0:1:8 Wa(1)"}},
        ExpectedCalls{"outcast",
                      {{"root", "3"}, {"roots", "2"}},
                      {"Is>1:1:8 Is>2:1:8 Wa(2)", "Ir<3:1:8 Ir<0:1:8 Wa(2)", "Ir<3:1:8 Ir<0:1:8 Wa(2)",
                       "Is>1:1:8 Is>2:1:8 Wa(2)"}},
        ExpectedCalls{"incast",
                      {{"size", "9"}, {"roots", "2"}},
                      {"Ir<2:1:9 Ir<3:1:9 Wa(2)", "Ir<2:1:9 Ir<3:1:9 Wa(2)", "Is>0:1:9 Is>1:1:9 Wa(2)",
                       "Is>1:1:9 Is>0:1:9 Wa(2)"}},
        ExpectedCalls{"hotspot",
                      {{"fraction", "1"}, {"hot", "1"}, {"messages", "2"}},
                      {"Ir<1:1:8 Ir<1:1:8 Is>1:1:8 Is>1:1:8 Wa(4)", "Ir<0:1:8 Ir<0:1:8 Is>0:1:8 Is>0:1:8 Wa(4)"}}));

// The rank that this rank sends to, according to its calls.
int receiver_of(const std::vector<std::string>& calls) {
  const auto send = std::ranges::find_if(calls, [](const std::string& call) { return call.starts_with("Is>"); });
  return send == calls.end() ? -1 : std::stoi(send->substr(3));
}

// The values of all ranks, on every rank.
std::vector<int> gathered(int own_value, const mpi::Group& group) {
  std::vector<int> all(static_cast<std::size_t>(group.size()));
  PMPI_Allgather(&own_value, 1, MPI_INT, all.data(), 1, MPI_INT, group.handle());
  return all;
}

TEST(Permutation, IsOneCycleThroughAllRanks) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MotifBench bench(group, "permutation", {}, seed);
    const std::vector<int> next = gathered(receiver_of(calls_of(bench)), group);
    int at = 0;
    for (int step = 1; step < group.size(); ++step) {
      at = next[static_cast<std::size_t>(at)];
      EXPECT_NE(at, 0) << "closed after " << step << " of " << group.size();
    }
    EXPECT_EQ(next[static_cast<std::size_t>(at)], 0);
  }
}

// The permutations of 4 iterations in each of two executions: the receiver of every rank.
std::vector<std::vector<int>> eight_permutations(const mpi::Group& group, const std::string& draw) {
  std::vector<std::vector<int>> drawn;
  MotifBench bench(group, "permutation", {{"draw", draw}, {"-i", "4"}});
  for (std::uint64_t execution = 0; execution < 8; execution += 4) {
    bench->prepare(execution);
    for (int i = 0; i < 4; ++i) drawn.push_back(gathered(receiver_of(calls_of(bench)), group));
  }
  return drawn;
}

TEST(Permutation, IsTheSameForTheWholeRunOrANewOneEachIteration) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  const auto fixed = eight_permutations(group, "once");
  EXPECT_EQ(std::ranges::count(fixed, fixed.front()), 8);
  auto drawn = eight_permutations(group, "iteration");
  EXPECT_EQ(drawn, eight_permutations(group, "iteration"));  // the same seed
  std::ranges::sort(drawn);
  EXPECT_GE(std::distance(drawn.begin(), std::ranges::unique(drawn).begin()), 3);  // of the 6 that exist
}

TEST(Hotspot, SendsItsFractionToTheHotRankAndTheRestEvenly) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  constexpr int messages = 4000;
  MotifBench bench(group, "hotspot",
                   {{"messages", std::to_string(messages)}, {"fraction", "0.4"}, {"hot", "2"}, {"size", "0"}});
  std::map<int, int> to;
  for (const std::string& call : calls_of(bench)) {
    if (call.starts_with("Is>")) ++to[std::stoi(call.substr(3))];
  }
  const int rank = group.rank();
  EXPECT_EQ(to.count(rank), 0u);
  for (int other = 0; other < 4; ++other) {
    if (other == rank) continue;
    const double rest = rank == 2 ? 1.0 / 3 : 0.6 / 3;
    const double share = rank != 2 && other == 2 ? 0.4 + rest : rest;
    EXPECT_NEAR(to[other], share * messages, 5 * std::sqrt(messages * share * (1 - share))) << rank << " to " << other;
  }
}

TEST(RootObservers, AreTheRanksThatHaveTheMost) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  const MotifBench incast(group, "incast", {{"roots", "2"}, {"root", "1"}, {"senders", "1"}});
  EXPECT_EQ(incast->is_timed(), group.rank() == 1 || group.rank() == 2);
  const MotifBench bisection(group, "bisection", {});
  EXPECT_TRUE(bisection->is_timed());
}

}  // namespace
}  // namespace stressbench::test
