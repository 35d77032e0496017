// Numbers of ranks of nodes as text: 16(x3),8.
#include "workload/node_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace stressbench::workload {
namespace {

using testing::ElementsAre;

std::string refusal_of(std::string_view text) {
  try {
    (void)NodeSizes::parse(text);
  } catch (const UserMistake& mistake) {
    return mistake.what();
  }
  return "no refusal";
}

TEST(NodeSizes, ANumberIsForAnyNumberOfNodes) {
  const NodeSizes sizes = NodeSizes::parse("4");
  EXPECT_FALSE(sizes.is_list);
  EXPECT_EQ(sizes.node_of(0), 0);
  EXPECT_EQ(sizes.node_of(3), 0);
  EXPECT_EQ(sizes.node_of(4), 1);
  EXPECT_EQ(sizes.node_of(4'000'003), 1'000'000);
}

TEST(NodeSizes, AListHasEveryNode) {
  const NodeSizes sizes = NodeSizes::parse("16(x3),8,2(x2)");
  EXPECT_EQ(sizes.nodes(), 6);
  EXPECT_EQ(sizes.ranks(), 60);
  EXPECT_THAT(sizes.machine().ranks, ElementsAre(16, 16, 16, 8, 2, 2));
  std::vector<int> ranks_of_nodes(6, 0);
  for (int rank = 0; rank < 60; ++rank) ++ranks_of_nodes[static_cast<std::size_t>(sizes.node_of(rank))];
  EXPECT_EQ(ranks_of_nodes, sizes.machine().ranks);
}

TEST(NodeSizes, AreSpelledAsTheyAreRead) {
  for (const char* text : {"4", "4(x1)", "4(x2)", "16(x3),8", "1,2,1(x5)"}) {
    EXPECT_EQ(NodeSizes::parse(text).spell(), text);
    EXPECT_EQ(NodeSizes::parse(NodeSizes::parse(text).spell()), NodeSizes::parse(text));
  }
  EXPECT_EQ(NodeSizes::parse("4,4").spell(), "4(x2)");
}

TEST(NodeSizes, WrongListsAreRefused) {
  const std::string expected =
      "must be a number of ranks, such as 16, or a list with the ranks of all nodes, such as 16(x3),8";
  for (const std::string wrong : {"", "x", "-1", "4(2)", "4(x", "4(x2", "(x2)", "4 (x2)", "4x2"})
    EXPECT_EQ(refusal_of(wrong), "'" + wrong + "' " + expected);
  EXPECT_EQ(refusal_of("4,"), "'' " + expected);
  EXPECT_EQ(refusal_of("0"), "'0' must be at least 1");
  EXPECT_EQ(refusal_of("4(x0)"), "'4(x0)' must be at least 1");
  EXPECT_EQ(refusal_of("1048577"), "'1048577' must be at most 1048576");
  EXPECT_EQ(refusal_of("1(x1048576),2"), "a machine has at most 1048576 nodes");
  EXPECT_EQ(refusal_of("1048576(x3)"), "a launch has at most 2097152 ranks");
}

}  // namespace
}  // namespace stressbench::workload
