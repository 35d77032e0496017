#include "io/striping.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace stressbench::io {
namespace {

using ::testing::ElementsAre;

TEST(Striping, KeepsAFileWithoutStripesOnOneNode) {
  EXPECT_THAT(bytes_by_node({.stripe_bytes = 0, .first_node = 2}, 3, 10, 25), ElementsAre(0, 0, 15));
}

TEST(Striping, SpreadsStripesRoundRobinFromTheFirstNodeOn) {
  const Striping striping{.stripe_bytes = 10, .first_node = 1, .node_count = 3};

  EXPECT_THAT(bytes_by_node(striping, 3, 0, 10), ElementsAre(0, 10, 0));
  EXPECT_THAT(bytes_by_node(striping, 3, 5, 32), ElementsAre(10, 7, 10));
  EXPECT_THAT(bytes_by_node(striping, 3, 25, 25), ElementsAre(0, 0, 0));
}

TEST(Striping, UsesOnlyTheNodesOfTheFile) {
  EXPECT_THAT(bytes_by_node({.stripe_bytes = 4, .first_node = 3, .node_count = 2}, 4, 0, 18), ElementsAre(8, 0, 0, 10));
}

TEST(Striping, AgreesWithCountingByteByByte) {
  const Striping striping{.stripe_bytes = 7, .first_node = 2, .node_count = 4};
  constexpr int nodes = 5;
  for (std::int64_t begin = 0; begin < 60; ++begin) {
    for (std::int64_t end = begin; end < 90; end += 3) {
      std::vector<std::int64_t> expected(nodes);
      for (std::int64_t byte = begin; byte < end; ++byte)
        ++expected[static_cast<std::size_t>((2 + byte / 7 % 4) % nodes)];
      ASSERT_EQ(bytes_by_node(striping, nodes, begin, end), expected) << begin << " to " << end;
    }
  }
}

TEST(Striping, HandlesFilesOfHundredsOfGigabytes) {
  const std::int64_t size = 500'000'000'000;
  const auto bytes = bytes_by_node({.stripe_bytes = 4 << 20, .first_node = 1, .node_count = 2}, 2, 0, size);

  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}), size);
  EXPECT_LE(std::abs(bytes[0] - bytes[1]), 4 << 20);
}

}  // namespace
}  // namespace stressbench::io
