// Storage motifs: location of bytes, verification, time limits and metrics. With the backend posix; the backends have
// tests of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "core/payload.hpp"
#include "io/backend.hpp"
#include "io/load.hpp"
#include "motif_bench.hpp"
#include "motifs/storage/extents.hpp"
#include "stepping_clock.hpp"

namespace stressbench::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Transfers : public testing::Test {
 protected:
  void SetUp() override { group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate(); }
  void TearDown() override {
    group_.barrier();
    if (world_rank() == 0) {
      for (const auto& entry : fs::directory_iterator(fs::current_path())) {
        if (entry.path().filename().string().starts_with(path_.filename().string())) fs::remove_all(entry.path());
      }
    }
    group_.barrier();
  }
  Options options(Options more = {}) const {
    more.emplace_back("file", path_.string());
    return more;
  }
  int ranks() const { return group_.size(); }

  // In the directory of the launch (main.cpp).
  fs::path path_ = fs::current_path() / testing::UnitTest::GetInstance()->current_test_info()->name();
  mpi::Group group_;
};

std::vector<std::byte> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> found((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(found));
  return {bytes.begin(), bytes.end()};
}

std::map<std::string, double> metric_values(Motif& motif) {
  std::map<std::string, double> metrics;
  for (Metric* metric : motif.measured()) metrics[metric->name()] = metric->take();
  return metrics;
}

TEST_F(Transfers, OfManyRanksTakeTurnsInSegments) {
  MotifBench bench(group_, "posix", options({{"size", "3000"}, {"segments", "3"}, {"transfer", "300"}, {"keep", ""}}));
  bench->fill_payload(3);
  bench.perform();
  group_.barrier();
  const std::vector<std::byte> found = contents(path_);
  ASSERT_EQ(found.size(), 3000u * static_cast<std::size_t>(ranks()));
  for (std::size_t at = 0; at < found.size(); ++at) {
    const int writer = static_cast<int>(at / 1000) % ranks();
    ASSERT_EQ(found[at], payload::expected({writer, writer, 4}, at)) << "offset " << at;
  }
  group_.barrier();
}

TEST_F(Transfers, OfSeveralRanksShareAFile) {
  MotifBench bench(group_, "posix", options({{"size", "500"}, {"files", "every:2"}}));
  bench->fill_payload(0);
  bench.perform();
  group_.barrier();
  const int file = world_rank() / 2;
  const int first = file * 2;
  const int sharers = std::min(2, ranks() - first);
  const std::vector<std::byte> found = contents(path_.string() + ".0000000" + std::to_string(file));
  ASSERT_EQ(found.size(), 500u * static_cast<std::size_t>(sharers));
  for (std::size_t at = 0; at < found.size(); ++at) {
    const int writer = first + static_cast<int>(at / 500);
    ASSERT_EQ(found[at], payload::expected({writer, writer, 1}, at)) << "offset " << at;
  }
  group_.barrier();
}

TEST_F(Transfers, OfANodeShareAFileInItsDirectory) {
  const auto motif = make_motif("posix", options({{"size", "10"}, {"files", "node"}, {"directories", "node"}}));
  motif->bind({"a-run", "now", 7 + world_rank() / 2});
  motif->decompose(group_, Draw{});
  motif->prepare(0);
  const MonotonicClock clock;
  Recorder recorder{clock};
  motif->perform(recorder);
  group_.barrier();
  const std::string number = "0000000" + std::to_string(world_rank() / 2);
  const int sharers = std::min(2, ranks() - world_rank() / 2 * 2);
  EXPECT_EQ(fs::file_size(path_.string() + ".d/" + number + "/" + number), 10u * static_cast<std::size_t>(sharers));
  group_.barrier();
}

struct Cell {
  std::string name;
  Options options;
};

class Verified : public Transfers, public testing::WithParamInterface<Options> {};

TEST_P(Verified, ReadsWhatOthersWroteAndNoticesAWrongByte) {
  Options all = GetParam();
  all.insert(all.end(), {{"size", "3000"}, {"transfer", "700"}});
  path_ = fs::current_path() / "verified";
  MotifBench bench(group_, "posix", options(all));
  for (std::uint64_t pass = 0; pass < 2; ++pass) {
    bench->prepare(pass);
    bench->fill_payload(pass);
    bench.perform();
    EXPECT_NO_THROW(bench->verify(pass));
    bench->reduce_metrics();
  }
}

INSTANTIATE_TEST_SUITE_P(OfMotif, Verified,
                         testing::Values(Options{}, Options{{"files", "rank"}}, Options{{"files", "every:2"}},
                                         Options{{"segments", "3"}}, Options{{"random", ""}, {"segments", "2"}},
                                         Options{{"do", "rewrite"}}, Options{{"do", "append"}, {"-i", "2"}},
                                         Options{{"do", "read"}}, Options{{"do", "read"}, {"files", "rank"}},
                                         Options{{"do", "write_read"}, {"sync", ""}},
                                         Options{{"do", "write_read"}, {"files", "every:2"}, {"random", ""}},
                                         Options{{"do", "mixed"}, {"read-share", "0.3"}, {"segments", "2"}},
                                         Options{{"sync-each", ""}, {"directories", "file"}, {"files", "rank"}},
                                         Options{{"do", "read"}, {"drop-caches", ""}, {"random", ""}}));

TEST_F(Transfers, NameTheWrongByteAndWhoWroteIt) {
  if (ranks() != 2) GTEST_SKIP() << "on 2 ranks";
  MotifBench bench(group_, "posix", options({{"size", "1000"}, {"transfer", "100"}}));
  bench->fill_payload(0);
  bench.perform();
  group_.barrier();
  if (world_rank() == 0) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(1234);
    file.put(static_cast<char>(payload::expected({1, 1, 1}, 1234) ^ std::byte{1}));
  }
  group_.barrier();
  if (world_rank() == 0) {
    try {
      bench->verify(0);
      ADD_FAILURE() << "was not noticed";
    } catch (const MachineFault& fault) {
      EXPECT_THAT(fault.what(),
                  testing::AllOf(HasSubstr(path_.string()), HasSubstr("at offset 1234, where rank 1 wrote"),
                                 HasSubstr("(read by rank 0)")));
    }
  } else {
    EXPECT_NO_THROW(bench->verify(0));
  }
}

TEST_F(Transfers, ReadByAnotherRankAreCheckedAsTheyCome) {
  if (ranks() != 2) GTEST_SKIP() << "on 2 ranks";
  MotifBench bench(group_, "posix", options({{"size", "1000"}, {"do", "read"}, {"shift", "1"}}));
  group_.barrier();
  if (world_rank() == 0) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(7);
    file.put(static_cast<char>(payload::expected({0, 0, 0}, 7) ^ std::byte{1}));
  }
  group_.barrier();
  bench->fill_payload(0);
  if (world_rank() == 0) {
    EXPECT_NO_THROW(bench.perform());
  } else {
    EXPECT_THROW(bench.perform(), MachineFault);
  }
}

TEST_F(Transfers, StopWhenTimeIsUp) {
  MotifBench bench(group_, "posix", options({{"size", "10000"}, {"transfer", "100"}, {"for", "7s"}}));
  const Ticking clock;
  Recorder recorder{clock};
  bench->perform(recorder);
  // One reading at the start, and one at the end of each transfer.
  EXPECT_EQ(metric_values(*bench)["written_bytes"], 600);
}

TEST_F(Transfers, ThatRanksMakeTogetherStopTogether) {
  MotifBench bench(group_, "mpiio",
                   options({{"size", "100000"}, {"transfer", "100"}, {"for", "40s"}, {"call", "MPI_File_write_all"}}));
  const Ticking clock(world_rank() + 1);
  Recorder recorder{clock};
  bench->perform(recorder);
  const double own_transfers = metric_values(*bench)["transfers"];
  double max_transfers = own_transfers;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &max_transfers, 1, MPI_DOUBLE, MPI_MAX, group_.handle()), "MPI_Allreduce");
  EXPECT_EQ(own_transfers, max_transfers);
  EXPECT_GT(own_transfers, 0);
  EXPECT_LT(own_transfers, 1000);
}

TEST_F(Transfers, WearOutUntilAllHaveDoneAsMuch) {
  MotifBench bench(group_, "posix",
                   options({{"size", "10000"}, {"transfer", "100"}, {"for", "12s"}, {"wear-out", ""}}));
  const Ticking clock(world_rank() + 1);
  Recorder recorder{clock};
  bench->perform(recorder);
  EXPECT_EQ(metric_values(*bench)["written_bytes"], 1100);
}

TEST_F(Transfers, MeasureTheirPartsAndCountTheirBytes) {
  MotifBench bench(group_, "posix",
                   options({{"size", "1000"}, {"transfer", "250"}, {"sync", ""}, {"do", "write_read"}}));
  const Ticking clock;
  Recorder recorder{clock};
  bench->perform(recorder);
  bench->reduce_metrics();
  std::map<std::string, double> found = metric_values(*bench);
  EXPECT_EQ(found["open_time_s"], 2);
  EXPECT_EQ(found["write_time_s"], 6);  // readings: one before the first, one after each of four, one at the end
  EXPECT_EQ(found["read_time_s"], 6);
  EXPECT_EQ(found["sync_time_s"], 1);
  EXPECT_EQ(found["close_time_s"], 2);
  EXPECT_EQ(found["transfers"], 8);
  EXPECT_EQ(found["written_bytes"], 1000);
  EXPECT_EQ(found["read_bytes"], 1000);
  const double all = 1000.0 * ranks();
  EXPECT_DOUBLE_EQ(found["write_bandwidth_bytes_per_s"], all / 9);
  EXPECT_DOUBLE_EQ(found["write_transfer_bandwidth_bytes_per_s"], all / 7);
  EXPECT_DOUBLE_EQ(found["write_transfers_per_s"], 4.0 * ranks() / 7);
  EXPECT_DOUBLE_EQ(found["write_rank_bandwidth_bytes_per_s"], 1000.0 / 9);
  EXPECT_DOUBLE_EQ(found["read_bandwidth_bytes_per_s"], all / 8);
  const auto histograms = bench->histograms();
  ASSERT_EQ(histograms.size(), 2u);
  EXPECT_EQ(histograms[0]->durations().counts.total(), 4u);
  EXPECT_EQ(histograms[0]->durations().min_ns, 1'000'000'000);
}

TEST_F(Transfers, OfDrawnSizesAreAsLongAsTheTableSays) {
  const fs::path table = path_.string() + ".csv";
  if (world_rank() == 0) std::ofstream(table) << "size,weight\n0,1\n700,1\n2500,1\n";
  group_.barrier();
  io::load_backends();
  for (const auto& entry : io::backends()) {
    MotifBench bench(
        group_, entry.name,
        options({{"sizes-from", table.string()}, {"transfer", "300"}, {"files", "rank"}, {"do", "write_read"}}));
    std::map<double, int> seen;
    for (std::uint64_t execution = 0; execution < 12; ++execution) {
      bench->prepare(execution);
      bench->fill_payload(execution);
      bench.perform();
      bench->verify(execution);
      std::map<std::string, double> found = metric_values(*bench);
      EXPECT_EQ(found["written_bytes"], found["read_bytes"]);
      ++seen[found["written_bytes"]];
    }
    EXPECT_THAT(seen, testing::ElementsAre(testing::Key(0), testing::Key(700), testing::Key(2500))) << entry.name;
  }
  group_.barrier();
}

TEST_F(Transfers, LeaveNothingBehindAndKeepWhenAsked) {
  for (const bool keep : {false, true}) {
    Options all{{"size", "100"}, {"files", "rank"}};
    if (keep) all.emplace_back("keep", "");
    {
      MotifBench bench(group_, "posix", options(all));
      bench.perform();
      bench->finish(group_, 1);
    }
    group_.barrier();
    EXPECT_EQ(fs::exists(path_.string() + ".0000000" + std::to_string(world_rank())), keep);
    group_.barrier();
  }
}

TEST_F(Transfers, OfFilesOfOthersAreReadAndLeftAsTheyAre) {
  if (world_rank() == 0) std::ofstream(path_) << std::string(100 * static_cast<std::size_t>(ranks()), 'x');
  group_.barrier();
  {
    MotifBench bench(group_, "posix", options({{"size", "100"}, {"do", "read"}, {"existing", ""}}));
    bench.perform();
    bench->finish(group_, 1);
  }
  group_.barrier();
  EXPECT_EQ(fs::file_size(path_), 100u * static_cast<std::size_t>(ranks()));
  group_.barrier();
}

}  // namespace
}  // namespace stressbench::test
