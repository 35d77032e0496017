// b_eff_io writes the data of its definition at the places of its definition, and its result follows from its protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "core/payload.hpp"
#include "motif_bench.hpp"
#include "stepping_clock.hpp"
#include "storage_fixture.hpp"
#include "suites/b_eff_io/io_rule.hpp"

namespace stressbench::test {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

class BEffIo : public StorageTest {
 protected:
  void SetUp() override {
    StorageTest::SetUp();
    // A path for each test, since files that a test keeps stay known to this process.
    path_ += std::string(".") + testing::UnitTest::GetInstance()->current_test_info()->name();
    protocol_ = path_ + ".jsonl";
    if (group_.rank() == 0) std::filesystem::remove(protocol_);
    group_.barrier();
  }
  void TearDown() override {
    group_.barrier();
    if (group_.rank() == 0) {
      std::error_code ignored;
      std::filesystem::remove(protocol_, ignored);
      for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path_).parent_path())) {
        if (entry.path().string().starts_with(path_)) std::filesystem::remove(entry.path(), ignored);
      }
    }
    group_.barrier();
  }
  Options with(Options more) const {
    more.insert(more.end(), {{"file", path_}, {"mpart", "1MiB"}, {"protocol", protocol_}});
    return more;
  }
  std::vector<nlohmann::json> lines() const {
    group_.barrier();
    std::vector<nlohmann::json> lines;
    std::ifstream file(protocol_);
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    group_.barrier();
    return lines;
  }
  std::vector<std::byte> bytes_of(int file) const {
    const std::string number = std::to_string(file);
    const std::string name = path_ + "." + std::string(8 - number.size(), '0') + number;
    std::vector<std::byte> bytes(std::filesystem::file_size(name));
    std::ifstream(name, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }
  std::map<std::string, double> metrics_of(MotifBench& bench) const {
    bench->reduce_metrics();
    std::map<std::string, double> metrics;
    for (Metric* metric : bench->measured()) metrics[metric->name()] = metric->take();
    return metrics;
  }
  int files_left() const {
    group_.barrier();
    int left = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path_).parent_path()))
      left += entry.path().string().starts_with(path_ + ".0") ? 1 : 0;
    group_.barrier();
    return left;
  }
  std::string protocol_;
};

// A chunk follows everything of its type that was written before, and the chunks of lower ranks.
TEST_F(BEffIo, ScattersChunksInTurnsOfTheRanks) {
  const int ranks = group_.size();
  MotifBench bench(group_, "b_eff_io", with({{"calls", "2"}, {"types", "0"}, {"keep", ""}}));
  bench.perform();
  bench->reduce_metrics();
  if (group_.rank() == 0) {
    const std::vector<std::byte> file = bytes_of(0);
    std::int64_t base = 0;
    for (const beff::IoPattern& pattern : beff::io_patterns(mib)) {
      if (pattern.type != beff::IoType::scatter) break;
      const std::int64_t calls = pattern.units > 0 ? 2 : 1, chunk = pattern.chunk_bytes;
      const std::int64_t chunks = pattern.memory_bytes / chunk;
      for (std::int64_t call = 0; call < calls; ++call) {
        for (int rank = 0; rank < ranks; ++rank) {
          for (std::int64_t at = 0; at < chunks; ++at) {
            const std::int64_t offset = base + ((call * chunks + at) * ranks + rank) * chunk;
            ASSERT_LE(offset + chunk, std::ssize(file));
            const payload::Origin origin{.sender = rank, .receiver = rank, .pass = 0};
            const std::span bytes(file.data() + offset, static_cast<std::size_t>(chunk));
            const std::size_t mark = at == 0 ? 8 : 0;
            if (payload::first_wrong(bytes.subspan(mark), origin, static_cast<std::uint64_t>(at * chunk) + mark))
              ADD_FAILURE() << "pattern " << pattern.number << ", call " << call << ", rank " << rank << ", chunk "
                            << at;
          }
        }
      }
      base += calls * pattern.memory_bytes * ranks;
    }
    EXPECT_EQ(std::ssize(file), base);
  }
}

TEST_F(BEffIo, GivesEachRankAFileAndASegmentOfTheSameBytes) {
  const int ranks = group_.size();
  MotifBench bench(group_, "b_eff_io", with({{"calls", "1"}, {"types", "2,3,4"}, {"keep", ""}}));
  bench.perform();
  bench->reduce_metrics();
  if (group_.rank() == 0) {
    const std::int64_t own = 4 * mib + 2 * 32 * kib + 8 + 2 * kib + 8 + 8;
    const std::int64_t segment = beff::segment_bytes(own);
    const std::vector<std::byte> segmented = bytes_of(2), collective = bytes_of(3);
    EXPECT_EQ(std::ssize(segmented), ranks * segment);
    EXPECT_EQ(std::ssize(collective), ranks * segment);
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(std::ssize(bytes_of(4 + rank)), own);
      for (const auto& file : {segmented, collective}) {
        const payload::Origin origin{.sender = rank, .receiver = rank, .pass = 0};
        const std::span bytes(file.data() + rank * segment, static_cast<std::size_t>(segment));
        EXPECT_EQ(payload::first_wrong(bytes.subspan(8, static_cast<std::size_t>(mib) - 8), origin, 8), std::nullopt);
        // The data that fills the segment.
        const auto rest = bytes.subspan(static_cast<std::size_t>(own));
        EXPECT_EQ(payload::first_wrong(rest.subspan(8), origin, 8), std::nullopt);
      }
    }
  }
}

TEST_F(BEffIo, CountsWhatItMoves) {
  MotifBench bench(group_, "b_eff_io", with({{"calls", "2"}}));
  bench.perform();
  const std::map<std::string, double> metrics = metrics_of(bench);
  const std::vector<nlohmann::json> found = lines();
  ASSERT_EQ(found.size(), 1 + 3 * (43 + 5) + 1U);
  std::int64_t bytes = 0;
  std::map<std::string, double> sums;
  for (const nlohmann::json& line : found) {
    if (line["type"] == "pattern") {
      bytes += line["bytes"].get<std::int64_t>();
      if (line["units"] > 0) {
        EXPECT_EQ(line["calls"], 2 * group_.size());
        EXPECT_EQ(line["bytes"], line["calls"].get<std::int64_t>() * line["memory_chunk_bytes"].get<std::int64_t>());
      }
    } else if (line["type"] == "file") {
      const double weight = line["pattern_type"] == 0 ? 2 : 1;
      sums[line["access"]] += weight / 6 * line["bytes"].get<double>() / line["time_s"].get<double>();
    }
  }
  EXPECT_EQ(bytes, bench->traffic(group_.size()).file_bytes);
  const double number = sums["write"] / 4 + sums["rewrite"] / 4 + sums["read"] / 2;
  EXPECT_NEAR(metrics.at("b_eff_io_bytes_per_s") / number, 1, 1e-9);
  EXPECT_NEAR(found.back()["b_eff_io_bytes_per_s"].get<double>() / number, 1, 1e-9);
  EXPECT_NEAR(metrics.at("write_bytes_per_s") / sums["write"], 1, 1e-9);
}

TEST_F(BEffIo, TakesThePartitionsOfRelease2AccessByAccess) {
  if (group_.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  MotifBench bench(group_, "b_eff_io", with({{"calls", "1"}, {"release", "2"}, {"no-shared", ""}}));
  bench.perform();
  bench->reduce_metrics();
  std::vector<std::pair<std::string, int>> order;
  std::map<std::string, std::set<int>> types;
  const std::vector<nlohmann::json> found = lines();
  for (const nlohmann::json& line : found) {
    if (line["type"] != "file") continue;
    const std::pair<std::string, int> now{line["access"], line["partition"]};
    if (order.empty() || order.back() != now) order.push_back(now);
    types[line["access"]].insert(line["pattern_type"].get<int>());
  }
  std::vector<int> partitions;
  for (const nlohmann::json& partition : found.front()["partitions"])
    partitions.push_back(partition["ranks"].get<int>());
  std::vector<int> expected;
  for (int size = group_.size(); size >= 1 && expected.size() < 3; size /= 2) expected.push_back(size);
  EXPECT_EQ(partitions, expected);
  std::vector<std::pair<std::string, int>> expected_order;
  for (const char* access : {"write", "rewrite", "read"}) {
    for (int one = 0; one < static_cast<int>(partitions.size()); ++one) expected_order.emplace_back(access, one);
  }
  EXPECT_EQ(order, expected_order);
  EXPECT_EQ(types["rewrite"], (std::set<int>{0}));
  EXPECT_EQ(types["read"].size(), 5U);
}

// A second passes with each reading of the clock, however long a call takes: --limit ends the writes, and reading ends
// with what was written.
TEST_F(BEffIo, EndsInTimeAndReadsNothingTwice) {
  MotifBench bench(group_, "b_eff_io", with({{"time", "300s"}, {"limit", "16MiB"}, {"types", "2"}}));
  const Ticking clock;
  Recorder recorder{clock};
  bench->perform(recorder);
  const std::map<std::string, double> metrics = metrics_of(bench);
  EXPECT_EQ(metrics.count("b_eff_io_bytes_per_s"), 0U);  // types are left out
  EXPECT_EQ(metrics.count("scheduled_time_share"), 1U);
  std::map<int, std::int64_t> written;
  int exhausted = 0;
  for (const nlohmann::json& line : lines()) {
    if (line["type"] != "pattern") continue;
    const int number = line["number"].get<int>();
    const auto bytes = line["bytes"].get<std::int64_t>();
    if (line["access"] == "write") {
      EXPECT_EQ(line["exhausted"], false);
      written[number] = bytes;
      continue;
    }
    EXPECT_LE(bytes, written[number]) << number;
    if (line["exhausted"].get<bool>()) {
      ++exhausted;
      EXPECT_EQ(bytes, written[number]) << number;
      EXPECT_GT(line["units"], 0);
    }
  }
  EXPECT_GT(exhausted, 0);
  EXPECT_THAT(bench->notes(), testing::Contains(testing::HasSubstr("not comparable with published b_eff_io")));
}

// Section 5.1 of the paper: types 3 and 4 repeat a chunk as often as type 2 did in the same time, whatever time is
// left, and only the rest of the last MB of a segment is filled.
TEST_F(BEffIo, SegmentsHaveAsManyCallsAsTheSeparateFilesHad) {
  MotifBench bench(group_, "b_eff_io", with({{"time", "300s"}, {"limit", "64MiB"}, {"types", "2,3,4"}}));
  const Ticking clock;
  Recorder recorder{clock};
  bench->perform(recorder);
  bench->reduce_metrics();
  const int ranks = group_.size();
  const std::vector<beff::IoPattern> patterns = beff::io_patterns(mib);
  std::map<int, std::int64_t> factors;                           // calls of a rank by position in its type, from type 2
  std::map<std::pair<std::string, int>, std::int64_t> segments;  // bytes of a rank by access and type
  for (const nlohmann::json& line : lines()) {
    if (line["type"] != "pattern") continue;
    const int number = line["number"].get<int>(), type = line["pattern_type"].get<int>();
    const auto calls = line["calls"].get<std::int64_t>(), bytes = line["bytes"].get<std::int64_t>();
    const int position = number - (type == 2 ? 17 : type == 3 ? 25 : 34);
    if (type == 2) {
      if (line["access"] == "write") factors[position] = std::max<std::int64_t>(1, calls / ranks);
      continue;
    }
    std::int64_t& segment = segments[{line["access"], type}];
    segment += bytes / ranks;
    EXPECT_EQ(line["exhausted"], false) << number;
    if (patterns[static_cast<std::size_t>(number)].fills) {
      EXPECT_LE(calls, ranks) << number;
      EXPECT_LT(bytes, ranks * mib) << number;
      EXPECT_EQ(segment % mib, 0) << number;
    } else {
      EXPECT_EQ(calls, ranks * factors[position]) << number << line["access"];
      EXPECT_EQ(bytes, calls * line["chunk_bytes"].get<std::int64_t>()) << number;
    }
  }
  EXPECT_EQ(segments.size(), 6U);
  for (const auto& [where, segment] : segments) EXPECT_EQ(segment, segments.begin()->second) << where.first;
}

// Every call is read once, and its first bytes are those that this call wrote: NoticesAWrongByteWhenAllIsDone shows
// that a call that is read at another place would be noticed.
TEST_F(BEffIo, ReadsInRandomOrderWhatItWrote) {
  MotifBench bench(group_, "b_eff_io", with({{"calls", "5"}, {"random", ""}}));
  bench->fill_payload(3);
  bench.perform();
  bench->reduce_metrics();
  EXPECT_NO_THROW(bench->verify(3));
  std::int64_t bytes = 0;
  const std::vector<nlohmann::json> found = lines();
  EXPECT_EQ(found.front()["random"], true);
  for (const nlohmann::json& line : found) bytes += line["type"] == "pattern" ? line["bytes"].get<std::int64_t>() : 0;
  EXPECT_EQ(bytes, bench->traffic(group_.size()).file_bytes);
  EXPECT_THAT(bench->notes(), testing::Contains(testing::HasSubstr("--random was given")));
}

// Rank 0 writes the protocol of partitions to which it does not belong.
TEST_F(BEffIo, MeasuresPartitionsOfAnyRanks) {
  if (group_.size() < 4) GTEST_SKIP() << "needs 4 ranks";
  MotifBench bench(group_, "b_eff_io", with({{"calls", "1"}, {"partitions", "r2-3,1x3,r1,r0+2"}}));
  bench.perform();
  const std::map<std::string, double> metrics = metrics_of(bench);
  const std::vector<nlohmann::json> found = lines();
  const nlohmann::json expected = nlohmann::json::parse(R"([
    {"name":"r2-3","ranks":2,"nodes":1},{"name":"1x3","ranks":3,"nodes":1},{"name":"r1","ranks":1,"nodes":1},
    {"name":"r0+2","ranks":2,"nodes":1}])");
  EXPECT_EQ(found.front()["partitions"], expected);
  ASSERT_EQ(found.size(), 1 + 4 * 3 * (43 + 5) + 1U);
  std::map<int, double> values;
  std::int64_t bytes = 0;
  for (const nlohmann::json& line : found) {
    if (line["type"] == "pattern") bytes += line["bytes"].get<std::int64_t>();
    if (line["type"] != "file") continue;
    const double weight = (line["pattern_type"] == 0 ? 2.0 : 1.0) / 6 * (line["access"] == "read" ? 0.5 : 0.25);
    values[line["partition"]] += weight * line["bytes"].get<double>() / line["time_s"].get<double>();
  }
  EXPECT_EQ(bytes, bench->traffic(group_.size()).file_bytes);
  const double best = std::ranges::max(values | std::views::values);
  EXPECT_NEAR(found.back()["b_eff_io_bytes_per_s"].get<double>() / best, 1, 1e-12);
  EXPECT_NEAR(metrics.at("b_eff_io_bytes_per_s") / best, 1, 1e-12);
}

TEST_F(BEffIo, RefusesNodesThatTheJobDoesNotHave) {
  EXPECT_THROW(MotifBench(group_, "b_eff_io", with({{"calls", "1"}, {"partitions", "1x1,2x1"}})), UserMistake);
}

TEST_F(BEffIo, TakesHintsFromAPatternOn) {
  MotifBench bench(group_, "b_eff_io",
                   with({{"calls", "1"}, {"types", "2"}, {"pattern-hint", "18:a=1,18:b=2,20:a=3"}}));
  bench.perform();
  bench->reduce_metrics();
  EXPECT_EQ(lines().front()["pattern_hints"], nlohmann::json::parse(R"(["18:a=1","18:b=2","20:a=3"])"));
}

// A clock that corrupts a byte of a file with each reading.
class Spoiling final : public Clock {
 public:
  Spoiling(std::string path, std::int64_t offset) : path_(std::move(path)), offset_(offset) {}
  std::int64_t now_ns() const noexcept override {
    if (offset_ < 0) return now_ns_ += 1000;
    if (std::FILE* const file = std::fopen(path_.c_str(), "r+")) {
      std::fseek(file, offset_, SEEK_SET);
      std::fputc(0x5a, file);
      std::fclose(file);
    }
    return now_ns_ += 1000;
  }

 private:
  std::string path_;
  std::int64_t offset_;
  mutable std::int64_t now_ns_ = 0;
};

TEST_F(BEffIo, NoticesAWrongByteWhenAllIsDone) {
  const auto reads = [&](std::int64_t offset, bool verify) {
    MotifBench bench(group_, "b_eff_io", with({{"calls", "1"}, {"types", "0"}}));
    if (verify) bench->fill_payload(7);
    const Spoiling clock(path_ + ".00000000", offset);
    Recorder recorder{clock};
    bench->perform(recorder);
    const bool wrong = [&] {
      try {
        bench->reduce_metrics();
        if (verify) bench->verify(7);
      } catch (const MachineFault& fault) {
        EXPECT_THAT(fault.what(), testing::HasSubstr("pattern 0, call 0"));
        return true;
      }
      return false;
    }();
    bench->finish(group_, 0);
    return on_any(wrong);
  };
  EXPECT_TRUE(reads(3, false));        // one of the first eight bytes, which are always checked
  EXPECT_TRUE(reads(mib - 2, false));  // one of the last eight, likewise
  EXPECT_FALSE(reads(1000, false));    // not checked
  EXPECT_TRUE(reads(1000, true));      // checked with --verify
  EXPECT_FALSE(reads(-1, true));
}

TEST_F(BEffIo, RemovesTheFilesOfAPartitionBeforeTheNextOne) {
  if (group_.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Options partitions{{"calls", "1"}, {"partitions", "2,1"}, {"no-shared", ""}};
  MotifBench bench(group_, "b_eff_io", with(partitions));
  bench.perform();
  EXPECT_EQ(files_left(), 4 + 1);
}

TEST_F(BEffIo, KeepsTheFilesOfAllPartitionsIfAsked) {
  if (group_.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Options kept{{"calls", "1"}, {"partitions", "2,1"}, {"no-shared", ""}, {"keep", ""}};
  MotifBench bench(group_, "b_eff_io", with(kept));
  bench.perform();
  EXPECT_EQ(files_left(), 4 + 2 + 4 + 1);
}

TEST_F(BEffIo, LeavesNoFileBehind) {
  {
    MotifBench bench(group_, "b_eff_io", with({{"calls", "1"}}));
    bench.perform();
    bench->reduce_metrics();
    EXPECT_EQ(files_left(), 4 + group_.size());
    bench->finish(group_, 0);
  }
  EXPECT_EQ(files_left(), 0);
}

}  // namespace
}  // namespace stressbench::test
