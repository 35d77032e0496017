// The calls that one perform of a motif makes, rank by rank.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capture.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {

struct ExpectedCalls {
  std::string motif;
  Options options;
  std::vector<std::string> of_ranks;  // calls of rank 0, 1, ...; the motif runs on as many ranks
  friend void PrintTo(const ExpectedCalls& expected, std::ostream* out) {
    *out << expected.motif << " on " << expected.of_ranks.size();
    for (const auto& [option, text] : expected.options) *out << ' ' << option << '=' << text;
  }
};

// The whole body of a test. Skips if there are too few ranks.
inline void expect_calls(const ExpectedCalls& expected) {
  const auto ranks = static_cast<int>(expected.of_ranks.size());
  if (world_size() < ranks) GTEST_SKIP() << "needs " << ranks << " ranks";
  const mpi::Group group = first_ranks(ranks);
  if (!group) return;
  MotifBench bench(group, expected.motif, expected.options);
  capture::start();
  bench.perform();
  const capture::Record record = capture::stop();
  EXPECT_EQ(capture::joined(record.tokens), expected.of_ranks[static_cast<std::size_t>(group.rank())]);
  EXPECT_THAT(record.tests, testing::IsEmpty());
}

}  // namespace stressbench::test
