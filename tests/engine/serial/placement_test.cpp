// Nodes assigned to jobs: StressBench, Figure 3.
#include "workload/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "workload_fixture.hpp"

namespace stressbench::workload {
namespace {

using testing::ElementsAre;

Job asks_for(int count) {
  Job made;
  made.name = "asks";
  made.node_count = count;
  return made;
}

Job sits_on(std::vector<int> nodes) {
  Job made;
  made.name = "sits";
  made.nodes = std::move(nodes);
  return made;
}

std::vector<std::vector<int>> nodes_of(const std::vector<Job>& jobs, int nodes, const PlacementPolicy& policy) {
  std::vector<std::vector<int>> all;
  for (const JobPlacement& placed : place({jobs, ""}, Machine::uniform(nodes, 2), policy))
    all.push_back(placed.nodes());
  return all;
}

TEST(Placement, LinearGivesEachJobABlock) {
  EXPECT_THAT(nodes_of({asks_for(2), asks_for(3)}, 8, {PlacementStrategy::linear}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4)));
}

TEST(Placement, LinearPrefersABlockThatIsWhole) {
  EXPECT_THAT(nodes_of({asks_for(3), asks_for(2), sits_on({2})}, 8, {PlacementStrategy::linear}),
              ElementsAre(ElementsAre(3, 4, 5), ElementsAre(0, 1), ElementsAre(2)));
}

TEST(Placement, LinearTakesTheLowestNodesWhereNoBlockIsWhole) {
  EXPECT_THAT(nodes_of({asks_for(3), sits_on({1, 3, 5})}, 6, {PlacementStrategy::linear}),
              ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3, 5)));
}

// Linear placement by a search from the lowest free node for each job.
std::vector<int> searched(std::vector<bool>& free, int count) {
  std::vector<int> nodes;
  int length = 0;
  for (int node = 0; node < static_cast<int>(free.size()) && length < count; ++node) {
    length = free[static_cast<std::size_t>(node)] ? length + 1 : 0;
    if (length < count) continue;
    for (int k = node - count + 1; k <= node; ++k) nodes.push_back(k);
  }
  for (int node = 0; static_cast<int>(nodes.size()) < count; ++node) {
    if (free[static_cast<std::size_t>(node)]) nodes.push_back(node);
  }
  for (const int node : nodes) free[static_cast<std::size_t>(node)] = false;
  return nodes;
}

TEST(Placement, LinearIsThatOfASearchForEachJob) {
  std::mt19937_64 draws(3);
  const auto below = [&](int bound) { return static_cast<int>(draws() % static_cast<unsigned>(bound)); };
  for (int round = 0; round < 2000; ++round) {
    const int nodes = below(60) + 20;
    std::vector<bool> free(static_cast<std::size_t>(nodes), true);
    std::vector<Job> jobs;
    for (int k = below(12); k > 0; --k) {
      const int node = below(nodes);
      if (!free[static_cast<std::size_t>(node)]) continue;
      free[static_cast<std::size_t>(node)] = false;
      jobs.push_back(sits_on({node}));
    }
    int left = static_cast<int>(std::count(free.begin(), free.end(), true));
    const std::size_t listed = jobs.size();
    for (int count = below(5) + 1; left >= count; left -= count, count = below(5) + 1) jobs.push_back(asks_for(count));
    const auto placed = nodes_of(jobs, nodes, {PlacementStrategy::linear});
    for (std::size_t i = listed; i < jobs.size(); ++i) ASSERT_EQ(placed[i], searched(free, *jobs[i].node_count));
  }
}

TEST(Placement, InterleavedDealsNodesInTurns) {
  EXPECT_THAT(nodes_of({asks_for(3), asks_for(1), asks_for(2)}, 8, {PlacementStrategy::interleaved}),
              ElementsAre(ElementsAre(0, 3, 5), ElementsAre(1), ElementsAre(2, 4)));
}

TEST(Placement, RandomFollowsFromItsSeed) {
  const std::vector<Job> jobs = {asks_for(16), asks_for(16)};
  const auto first = nodes_of(jobs, 32, {PlacementStrategy::random, 7});
  EXPECT_EQ(first, nodes_of(jobs, 32, {PlacementStrategy::random, 7}));
  EXPECT_NE(first, nodes_of(jobs, 32, {PlacementStrategy::random, 8}));
  EXPECT_NE(first, nodes_of(jobs, 32, {PlacementStrategy::linear}));
}

TEST(Placement, RandomGivesEveryNodeToEveryJobEquallyOften) {
  std::vector<int> times(8, 0);
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const auto placed = nodes_of({asks_for(2)}, 8, {PlacementStrategy::random, seed});
    for (const int node : placed[0]) ++times[static_cast<std::size_t>(node)];
  }
  for (const int count : times) EXPECT_NEAR(count, 200, 60);
}

TEST(Placement, EveryPolicyKeepsListsAndGivesDisjointNodesInTheRightNumber) {
  std::mt19937_64 draws(11);
  const auto below = [&](int bound) { return static_cast<int>(draws() % static_cast<unsigned>(bound)); };
  for (int round = 0; round < 2000; ++round) {
    const int nodes = below(40) + 8;
    std::vector<Job> jobs;
    for (int node = below(4), left = nodes; left > 4 && jobs.size() < 6; node += 2) {
      const bool listed = below(3) == 0 && node + 1 < nodes;
      jobs.push_back(listed ? sits_on({node + 1, node}) : asks_for(below(3) + 1));
      left -= 3;
    }
    const PlacementPolicy policy{static_cast<PlacementStrategy>(below(3)), draws()};
    const auto placed = nodes_of(jobs, nodes, policy);
    std::set<int> seen;
    std::size_t all = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ(placed[i].size(), jobs[i].nodes ? 2U : static_cast<std::size_t>(*jobs[i].node_count));
      ASSERT_EQ(placed[i], jobs[i].nodes.value_or(placed[i]));
      ASSERT_TRUE(jobs[i].nodes || std::is_sorted(placed[i].begin(), placed[i].end()));
      seen.insert(placed[i].begin(), placed[i].end());
      all += placed[i].size();
    }
    ASSERT_EQ(seen.size(), all);
    ASSERT_GE(*seen.begin(), 0);
    ASSERT_LT(*seen.rbegin(), nodes);
    ASSERT_EQ(placed, nodes_of(jobs, nodes, policy));
  }
}

TEST(Placement, JobsOnOneNodeGetItsRanksInTheOrderOfTheJobs) {
  Job first = sits_on({1});
  first.ranks_per_node = 3;
  Job second = sits_on({1, 0});
  second.ranks_per_node = 1;
  const auto placed = place({{first, second}, ""}, Machine::uniform(2, 4), {});
  EXPECT_THAT(placed[0].shares, ElementsAre(Share{1, 0, 3}));
  EXPECT_THAT(placed[1].shares, ElementsAre(Share{1, 3, 1}, Share{0, 0, 1}));
  EXPECT_EQ(placed[1].ranks(), 2);
}

TEST(Placement, AJobHasAllRanksOfItsNodesUnlessItSaysOtherwise) {
  const auto placed = place({{sits_on({0, 2})}, ""}, Machine{{4, 5, 6}}, {});
  EXPECT_EQ(placed[0].ranks(), 10);
}

TEST(Placement, WhatDoesNotFitIsRefused) {
  Job crowded = sits_on({0});
  crowded.ranks_per_node = 3;
  EXPECT_THROW(place({{asks_for(9)}, ""}, Machine::uniform(8, 2), {}), UserMistake);
  EXPECT_THROW(place({{sits_on({8})}, ""}, Machine::uniform(8, 2), {}), UserMistake);
  EXPECT_THROW(place({{crowded}, ""}, Machine::uniform(8, 2), {}), UserMistake);
  EXPECT_THROW(Machine::uniform(0, 2), UserMistake);
  EXPECT_THROW(Machine::uniform(2'000'000'000, 2), UserMistake);
  EXPECT_NO_THROW(Machine::uniform(2, 1 << 20));
  EXPECT_THROW(Machine::uniform(3, 1 << 20), UserMistake);
}

TEST(Placement, ThePolicyIsReadAndSpelled) {
  for (const char* text : {"linear", "interleaved", "random:0", "random:42"})
    EXPECT_EQ(spell(parse_policy(text)), text);
  EXPECT_EQ(parse_policy("Random:7"), (PlacementPolicy{PlacementStrategy::random, 7}));
  for (const char* wrong : {"", "random", "random:", "random:-1", "random:x", "linear:3", "sideways"}) {
    EXPECT_THROW(parse_policy(wrong), UserMistake) << wrong;
  }
}

TEST(Placement, AWrongPolicyIsNamedWithWhatIsAccepted) {
  try {
    parse_policy("interleave");
    FAIL();
  } catch (const UserMistake& mistake) {
    EXPECT_STREQ(mistake.what(),
                 "placement 'interleave' must be linear, interleaved or random:SEED; did you mean 'interleaved'?");
  }
}

}  // namespace
}  // namespace stressbench::workload
