// The table of b_eff_io, its shares of time and its averages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "core/error.hpp"
#include "suites/b_eff_io/io_protocol.hpp"
#include "suites/b_eff_io/io_rule.hpp"
#include "suites/b_eff_io/partition_choice.hpp"
#include "suites/b_eff_io/pattern_hint.hpp"

namespace stressbench::test {
namespace {

using namespace beff;

constexpr std::int64_t mpart = 48 * io_mb;

TEST(BEffIoRule, HasTheRowsOfTable2) {
  const std::vector<IoPattern> patterns = io_patterns(mpart);
  ASSERT_EQ(patterns.size(), 43U);
  int units = 0;
  std::map<IoType, int> first, units_of;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const IoPattern& pattern = patterns[i];
    EXPECT_EQ(pattern.number, static_cast<int>(i));
    first.emplace(pattern.type, pattern.number);
    units += pattern.units;
    units_of[pattern.type] += pattern.units;
    EXPECT_EQ(pattern.memory_bytes % pattern.chunk_bytes, 0) << pattern.number;
    EXPECT_EQ(pattern.chunk_bytes % 8, 0) << pattern.number;
    if (pattern.type != IoType::scatter) {
      EXPECT_EQ(pattern.chunk_bytes, pattern.memory_bytes) << pattern.number;
    }
  }
  EXPECT_EQ(units, 64);
  EXPECT_THAT(first, testing::ElementsAre(testing::Pair(IoType::scatter, 0), testing::Pair(IoType::shared, 9),
                                          testing::Pair(IoType::separate, 17), testing::Pair(IoType::segmented, 25),
                                          testing::Pair(IoType::segmented_collective, 34)));
  EXPECT_EQ(units_of[IoType::scatter], 22);
  EXPECT_EQ(units_of[IoType::shared], 12);
  EXPECT_EQ(units_of[IoType::segmented_collective], 10);
}

TEST(BEffIoRule, HasTheSizesOfTable2) {
  const std::vector<IoPattern> patterns = io_patterns(mpart);
  const auto row = [&](std::size_t number) {
    const IoPattern& pattern = patterns[number];
    return std::tuple{pattern.chunk_bytes, pattern.memory_bytes, pattern.units, pattern.fills};
  };
  EXPECT_EQ(row(0), std::tuple(1048576, 1048576, 0, false));
  EXPECT_EQ(row(1), std::tuple(mpart, mpart, 4, false));
  EXPECT_EQ(row(2), std::tuple(1048576, 2097152, 4, false));
  EXPECT_EQ(row(4), std::tuple(32768, 1048576, 2, false));
  EXPECT_EQ(row(5), std::tuple(1024, 1048576, 2, false));
  EXPECT_EQ(row(6), std::tuple(32776, 1048832, 2, false));
  EXPECT_EQ(row(7), std::tuple(1032, 1056768, 2, false));
  EXPECT_EQ(row(8), std::tuple(1048584, 1048584, 2, false));
  EXPECT_EQ(row(10), std::tuple(mpart, mpart, 4, false));
  EXPECT_EQ(row(16), std::tuple(1048584, 1048584, 2, false));
  EXPECT_EQ(row(18), std::tuple(mpart, mpart, 2, false));
  EXPECT_EQ(row(33), std::tuple(mpart, mpart, 0, true));
  EXPECT_EQ(row(42), std::tuple(mpart, mpart, 0, true));
}

TEST(BEffIoRule, FindsTheSameChunksInAnotherType) {
  for (const std::int64_t longest : {mpart, io_mb}) {  // also where the longest chunk is as long as another
    const std::vector<IoPattern> patterns = io_patterns(longest);
    for (const std::size_t number : {26U, 27U, 30U, 32U, 35U, 41U}) {
      const IoPattern& pattern = patterns[number];
      const int row = pattern.number - (number < 34 ? 25 : 34);
      EXPECT_EQ(counterpart(patterns, pattern, IoType::separate).number, 17 + row);
      EXPECT_EQ(counterpart(patterns, pattern, IoType::shared).number, 9 + row);
      const IoPattern& scattered = counterpart(patterns, pattern, IoType::scatter);
      EXPECT_EQ(scattered.type, IoType::scatter);
      EXPECT_EQ(scattered.chunk_bytes, pattern.chunk_bytes);
    }
  }
}

TEST(BEffIoRule, TakesTheLongestChunkFromMemory) {
  EXPECT_EQ(io_chunk_of_memory(128 * io_mb, 1), 2 * io_mb);
  EXPECT_EQ(io_chunk_of_memory(std::int64_t{6} << 30, 1), 48 * io_mb);
  EXPECT_EQ(io_chunk_of_memory((std::int64_t{6} << 30) + 127, 1), 48 * io_mb);
  EXPECT_EQ(io_chunk_of_memory(std::int64_t{1} << 45, 1), longest_io_chunk);
  // Two buffers for each of 16 ranks take a quarter of the memory; of more ranks they would take more.
  EXPECT_EQ(io_chunk_of_memory(std::int64_t{6} << 30, 16), 48 * io_mb);
  EXPECT_EQ(io_chunk_of_memory(std::int64_t{6} << 30, 32), 24 * io_mb);
}

// As in the paper, if no pattern is late: T U / sum of U, a third of it for each access.
TEST(BEffIoRule, SharesTimeByUnits) {
  TimeShares shares(192, 192);
  EXPECT_DOUBLE_EQ(shares.take_share(0, 0), 0);
  EXPECT_DOUBLE_EQ(shares.take_share(0, 4), 4);
  EXPECT_DOUBLE_EQ(shares.take_share(4, 2), 2);
  // 20 s late: all following shares are shortened by the same factor.
  EXPECT_DOUBLE_EQ(shares.take_share(26, 6), (192 - 26) * 6 / 186.0);
  EXPECT_DOUBLE_EQ(shares.take_share(500, 6), 0);
}

TEST(BEffIoRule, LooksAtTheClockSeldomAndEndsInTime) {
  for (const double each_s : {1e-5, 1e-3, 0.3, 5.0}) {
    std::int64_t calls = 1, looks = 0;
    constexpr double budget_s = 2;
    while (true) {
      const double time_s = static_cast<double>(calls) * each_s;
      const std::int64_t more = next_calls(calls, time_s, budget_s - time_s);
      ++looks;
      if (more == 0) break;
      EXPECT_LE(more, calls);
      calls += more;
    }
    EXPECT_LE(looks, 60);
    EXPECT_NEAR(static_cast<double>(calls) * each_s, std::max(budget_s, each_s), each_s / 2 + 1e-9) << each_s;
  }
}

TEST(BEffIoRule, RoundsSegmentsUpToWholeMegabytes) {
  EXPECT_EQ(segment_bytes(1), io_mb);
  EXPECT_EQ(segment_bytes(io_mb), io_mb);
  EXPECT_EQ(segment_bytes(io_mb + 8), 2 * io_mb);
}

TEST(BEffIoRule, AveragesAsDefined) {
  const std::array<double, io_types> values{10, 1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(mean_of_types(values), (2 * 10 + 1 + 2 + 3 + 4) / 6.0);
  EXPECT_DOUBLE_EQ(mean_of_accesses(1, 2, 4), 0.25 + 0.5 + 2);
}

using Choice = Spelling<PartitionChoice>;

TEST(BEffIoPartition, IsWrittenAsItIsRead) {
  for (const char* text : {"8", "2x4", "r0-3+8", "r5", "r0+2+4-5"}) EXPECT_EQ(Choice::write(Choice::read(text)), text);
  EXPECT_EQ(Choice::write(Choice::read("r1-2+3")), "r1-3");
}

TEST(BEffIoPartition, ContainsTheFirstRanksRanksOfNodesOrListedRanks) {
  // Six ranks on three nodes, dealt in turn: ranks 0 and 3 are on node 0.
  const auto members = [](const char* text) {
    const PartitionChoice choice = Choice::read(text);
    std::vector<int> ranks;
    for (int rank = 0; rank < 6; ++rank) {
      if (choice.contains(rank, rank % 3, rank / 3)) ranks.push_back(rank);
    }
    EXPECT_EQ(choice.size(), std::ssize(ranks)) << text;
    return ranks;
  };
  EXPECT_THAT(members("4"), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(members("2x1"), testing::ElementsAre(0, 1));
  EXPECT_THAT(members("2x2"), testing::ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(members("r1+3-4"), testing::ElementsAre(1, 3, 4));
}

TEST(BEffIoPartition, RefusesWhatIsNone) {
  for (const char* text : {"", "0", "x", "2x", "x2", "0x2", "r", "r1+", "r-1", "r2-1", "r1+1", "r3+1", "4 ", "+4", "-1",
                           "999999999", "99999x99999"})
    EXPECT_THROW(Choice::read(text), UserMistake) << text;
}

TEST(BEffIoPatternHint, NamesAPatternAndAHint) {
  const PatternHint hint = Spelling<PatternHint>::read("42:striping_unit=1:2");
  EXPECT_EQ(hint.pattern, 42);
  EXPECT_EQ(hint.hint.key, "striping_unit");
  EXPECT_EQ(hint.hint.value, "1:2");
  EXPECT_EQ(Spelling<PatternHint>::write(hint), "42:striping_unit=1:2");
  for (const char* text : {"a=1", "43:a=1", "-1:a=1", ":a=1", "1:a", "1:=2", "100:a=1"})
    EXPECT_THROW(Spelling<PatternHint>::read(text), UserMistake) << text;
}

TEST(BEffIoProtocol, WritesLinesOfJson) {
  IoHeader head;
  head.ranks = 2;
  head.scheduled_s = 60;
  head.mpart_bytes = 5;
  head.nodes = 1;
  head.partitions = {{"2x1", 2, 2}};
  head.types = {0};
  head.hints = {R"(a="b")"};
  head.pattern_hints = {"5:c=d"};
  EXPECT_EQ(as_json_line(head),
            R"({"type":"b_eff_io","version":2,"round":0,"ranks":2,"scheduled_s":60.0,"release":1,)"
            R"("shared_pointers":true,"random":false,"nodes":1,"node_memory_bytes":null,"mpart_bytes":5,)"
            R"("limit_bytes":null,"partitions":[{"name":"2x1","ranks":2,"nodes":2}],"types":[0],)"
            R"("hints":["a=\"b\""],"pattern_hints":["5:c=d"]})"
            "\n");
  EXPECT_EQ(as_json_line(1, IoAccess::rewrite, io_patterns(mpart)[12], {7, 70, 0.5, true}),
            R"({"type":"pattern","partition":1,"access":"rewrite","pattern_type":1,"number":12,"chunk_bytes":32768,)"
            R"("memory_chunk_bytes":32768,"units":1,"calls":7,"bytes":70,"time_s":0.5,"exhausted":true})"
            "\n");
  EXPECT_EQ(file_as_json_line(0, IoAccess::read, IoType::separate, {0, 70, 0.25, false}),
            R"({"type":"file","partition":0,"access":"read","pattern_type":2,"bytes":70,"time_s":0.25})"
            "\n");
  EXPECT_EQ(end_as_json_line(std::nullopt, 2.5), R"({"type":"end","b_eff_io_bytes_per_s":null,"elapsed_s":2.5})"
                                                 "\n");
}

}  // namespace
}  // namespace stressbench::test
