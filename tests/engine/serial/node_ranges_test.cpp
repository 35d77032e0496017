// The nodes of a launch as ranges, and the roles of its ranks, up to the numbers of the largest machines. No MPI.
#include "scheduler/node_ranges.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/json.hpp"
#include "scheduler/job_layout.hpp"

namespace stressbench::scheduler {
namespace {

using testing::ElementsAre;
using testing::Field;

// Adds nodes with these consecutive ranks each.
void add_nodes(Machine& machine, int count, int ranks, std::optional<int> cores, const std::string& host) {
  for (int k = 0; k < count; ++k) {
    machine.table.push_back({fmt::format("{}{:06}", host, machine.nodes), cores, ranks});
    machine.node_of_rank.insert(machine.node_of_rank.end(), static_cast<std::size_t>(ranks), machine.nodes++);
    machine.ranks += ranks;
  }
}

Machine machine_of(int nodes, int ranks) {
  Machine machine;
  add_nodes(machine, nodes, ranks, 16, "n");
  return machine;
}

std::vector<NodeRange> ranges_of(const Machine& machine) { return node_ranges(machine, 0); }

TEST(NodeRanges, OfFewNodesEachIsARangeOfItsOwn) {
  EXPECT_EQ(node_ranges(machine_of(64, 2)).size(), 64U);
  EXPECT_EQ(node_ranges(machine_of(65, 2)).size(), 1U);
}

TEST(NodeRanges, EqualNodesAreOneRange) {
  const auto ranges = ranges_of(machine_of(512, 4));
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].count, 512);
  EXPECT_EQ(ranges[0].hosts, "n[000000-000511]");
  EXPECT_EQ(ranges[0].ranks, "0-3");
  EXPECT_EQ(ranges[0].rank_step, 4);
  EXPECT_EQ(ranges[0].cores, 16);
}

TEST(NodeRanges, RanksThatAreDealtInTurnsAreOneRange) {
  Machine machine = machine_of(4, 3);
  for (std::size_t rank = 0; rank < 12; ++rank) machine.node_of_rank[rank] = static_cast<int>(rank % 4);
  const auto ranges = ranges_of(machine);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].ranks, "0,4,8");
  EXPECT_EQ(ranges[0].rank_step, 1);
}

TEST(NodeRanges, NodesWithOtherCoresOrRanksBeginARange) {
  Machine machine;
  add_nodes(machine, 3, 16, 16, "thin");
  add_nodes(machine, 1, 8, 16, "thin");
  add_nodes(machine, 2, 8, 64, "fat");
  add_nodes(machine, 1, 8, std::nullopt, "fat");
  EXPECT_THAT(ranges_of(machine),
              ElementsAre(Field(&NodeRange::hosts, "thin[000000-000002]"), Field(&NodeRange::hosts, "thin000003"),
                          Field(&NodeRange::hosts, "fat[000004-000005]"), Field(&NodeRange::hosts, "fat000006")));
}

TEST(NodeRanges, NodesOfOneHostNameItOnce) {
  Machine machine = machine_of(8, 1);
  for (Node& node : machine.table) node.host = "my host";
  const auto ranges = ranges_of(machine);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_TRUE(ranges[0].same_host);
  EXPECT_EQ(ranges[0].hosts, "my host");
}

TEST(NodeRanges, AHostThatNoListCanContainHasItsOwnRecord) {
  Machine machine = machine_of(3, 1);
  machine.table[1].host = "a,b";
  EXPECT_THAT(ranges_of(machine), ElementsAre(Field(&NodeRange::hosts, "n000000"), Field(&NodeRange::hosts, "a,b"),
                                              Field(&NodeRange::hosts, "n000002")));
}

Header header_of(const Machine& machine) {
  Header header;
  header.machine = &machine;
  return header;
}

TEST(HeaderOfManyRanks, IsAsLongAsThatOfFew) {
  const auto bytes = [](const Machine& machine) { return output::to_json(header_of(machine)).dump().size(); };
  const std::size_t few = bytes(machine_of(65, 8));
  EXPECT_LE(bytes(machine_of(2048, 8)), few + 10) << "16,384 ranks: longer numbers, and no more";
  EXPECT_LE(bytes(machine_of(16'384, 8)), few + 12) << "131,072 ranks";
  EXPECT_LE(bytes(machine_of(100'000, 16)), few + 16) << "1,600,000 ranks";
}

workload::Job job_on(std::vector<int> nodes, std::optional<int> ranks_per_node = std::nullopt) {
  workload::Job job;
  job.nodes = std::move(nodes);
  job.ranks_per_node = ranks_per_node;
  return job;
}

std::vector<std::pair<int, int>> roles_on(const Machine& machine, const std::vector<workload::Job>& jobs) {
  std::vector<std::pair<int, int>> pairs;
  for (const Role& role : roles_of_ranks(machine, {jobs, ""})) pairs.emplace_back(role.job, role.position);
  return pairs;
}

TEST(Roles, AJobHasTheRanksOfItsNodesInTheOrderOfItsList) {
  EXPECT_THAT(roles_on(machine_of(3, 2), {job_on({2, 0})}),
              ElementsAre(std::pair(0, 1), std::pair(0, 1), std::pair(-1, 0), std::pair(-1, 0), std::pair(0, 0),
                          std::pair(0, 0)));
}

TEST(Roles, JobsOnOneNodeHaveItsRanksInTheOrderOfTheJobs) {
  EXPECT_THAT(roles_on(machine_of(1, 4), {job_on({0}, 1), job_on({0}, 2)}),
              ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(1, 0), std::pair(-1, 0)));
}

TEST(Roles, NodesMayHaveDifferentNumbersOfRanks) {
  Machine machine;
  add_nodes(machine, 1, 3, 16, "a");
  add_nodes(machine, 1, 1, 16, "b");
  add_nodes(machine, 1, 2, 16, "c");
  EXPECT_THAT(roles_on(machine, {job_on({0, 1}), job_on({2}, 1)}),
              ElementsAre(std::pair(0, 0), std::pair(0, 0), std::pair(0, 0), std::pair(0, 1), std::pair(1, 0),
                          std::pair(-1, 0)));
}

TEST(Roles, Of131072RanksAreThoseOf2000Jobs) {
  const Machine machine = machine_of(65'536, 2);
  std::vector<workload::Job> jobs;
  for (int i = 0; i < 2000; ++i) {
    std::vector<int> nodes;
    for (int k = 0; k < 32; ++k) nodes.push_back(k * 2000 + i);
    jobs.push_back(job_on(std::move(nodes)));
  }
  const std::vector<Role> roles = roles_of_ranks(machine, {jobs, ""});
  ASSERT_EQ(roles.size(), 131'072U);
  for (int rank = 0; rank < 131'072; ++rank) {
    const int node = rank / 2;
    const Role& role = roles[static_cast<std::size_t>(rank)];
    ASSERT_EQ(role.job, node < 64'000 ? node % 2000 : -1);
    ASSERT_EQ(role.position, node < 64'000 ? node / 2000 : 0);
  }
}

}  // namespace
}  // namespace stressbench::scheduler
