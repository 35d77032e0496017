// mpiio: whose file it is, when it goes away, and what is said when the storage refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "capture.hpp"
#include "motif_bench.hpp"
#include "motifs/payload.hpp"

namespace stressbench::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class MpiIo : public testing::Test {
 protected:
  void SetUp() override { group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate(); }
  void TearDown() override {
    group_.barrier();
    if (world_rank() == 0) fs::remove_all(path_);
    group_.barrier();
  }
  Options options(Options more = {}) const {
    more.insert(more.end(), {{"size", "1000"}, {"file", path_.string()}});
    return more;
  }
  // What rank 0 sees, at a moment when nobody is writing.
  bool exists() const {
    group_.barrier();
    const bool there = fs::exists(path_);
    group_.barrier();
    return there;
  }
  void write_foreign_file() const {
    if (world_rank() == 0) std::ofstream(path_) << "precious";
    group_.barrier();
  }

  // In the launch's own folder (main.cpp); a name of its own, as a file once kept stays known to the program.
  fs::path path_ = fs::current_path() / testing::UnitTest::GetInstance()->current_test_info()->name();
  mpi::Group group_;
};

TEST_F(MpiIo, LeavesEachRanksBytesAtItsPlace) {
  MotifBench bench(group_, "mpiio", options());
  bench->stamp(3);
  bench.perform();
  group_.barrier();
  std::ifstream file(path_, std::ios::binary);
  const std::vector<char> found((std::istreambuf_iterator<char>(file)), {});
  ASSERT_EQ(found.size(), 1000u * static_cast<std::size_t>(world_size()));
  for (int r = 0; r < world_size(); ++r) {
    EXPECT_NO_THROW(
        payload::check(std::as_bytes(std::span(found).subspan(1000 * static_cast<std::size_t>(r), 1000)), {r, r, 3}));
  }
  group_.barrier();
}

TEST_F(MpiIo, RemovesItsFileAtTheEnd) {
  {
    MotifBench bench(group_, "mpiio", options());
    bench.perform();
    EXPECT_TRUE(exists());
  }
  EXPECT_FALSE(exists());
}

TEST_F(MpiIo, KeepsItsFileWhenAsked) {
  {
    MotifBench bench(group_, "mpiio", options({{"keep", ""}}));
    bench.perform();
  }
  EXPECT_TRUE(exists());
}

TEST_F(MpiIo, MayWriteAgainIntoTheFileThatItKept) {
  for (int round = 0; round < 2; ++round) MotifBench(group_, "mpiio", options({{"keep", ""}})).perform();
  EXPECT_TRUE(exists());
}

TEST_F(MpiIo, RemovesItsFileWhenTheRunFails) {
  try {
    MotifBench bench(group_, "mpiio", options());
    bench.perform();
    throw MachineFault("on purpose");
  } catch (const MachineFault&) {
  }
  EXPECT_FALSE(exists());
}

TEST_F(MpiIo, SharesAFileBetweenTheStepsOfAJob) {
  MotifBench first(group_, "mpiio", options());
  {
    MotifBench second(group_, "mpiio", options());
    second.perform();
  }
  EXPECT_TRUE(exists());
  EXPECT_NO_THROW(first.perform());
}

TEST_F(MpiIo, RefusesAFileThatIsNotItsOwnOnEveryRank) {
  write_foreign_file();
  try {
    const MotifBench bench(group_, "mpiio", options());
    ADD_FAILURE() << "was not refused";
  } catch (const ParameterMistake& mistake) {
    EXPECT_EQ(mistake.parameter(), "file");
    EXPECT_THAT(mistake.what(), AllOf(HasSubstr(path_.string()), HasSubstr("--overwrite")));
  }
  EXPECT_EQ(fs::file_size(path_), 8u);
}

TEST_F(MpiIo, ReplacesAForeignFileWhenAsked) {
  write_foreign_file();
  {
    MotifBench bench(group_, "mpiio", options({{"overwrite", ""}}));
    bench.perform();
    group_.barrier();
    EXPECT_EQ(fs::file_size(path_), 1000u * static_cast<std::size_t>(world_size()));
    group_.barrier();
  }
  EXPECT_FALSE(exists());
}

TEST_F(MpiIo, NeverReplacesWhatIsNoOrdinaryFile) {
  if (world_rank() == 0) fs::create_directory(path_);
  group_.barrier();
  EXPECT_THROW(MotifBench(group_, "mpiio", options({{"overwrite", ""}})), ParameterMistake);
  EXPECT_TRUE(exists());
}

TEST_F(MpiIo, NoticesThatLessWasWrittenThanGiven) {
  MotifBench bench(group_, "mpiio", options());
  capture::shorten_write();
  try {
    bench.perform();
    ADD_FAILURE() << "was not noticed";
  } catch (const MachineFault& fault) {
    EXPECT_THAT(fault.what(),
                AllOf(HasSubstr("MPI_File_write_at_all"), HasSubstr(path_.string()), HasSubstr("999 of 1000 bytes")));
  }
}

TEST_F(MpiIo, NamesCallAndPathWhereTheStorageRefuses) {
  const std::string nowhere = path_.string() + "/no/such/folder";
  try {
    const MotifBench bench(group_, "mpiio", {{"file", nowhere}});
    ADD_FAILURE() << "was not refused";
  } catch (const MachineFault& fault) {
    EXPECT_THAT(fault.what(), AllOf(HasSubstr("MPI_File_open"), HasSubstr(nowhere)));
  }
}

TEST_F(MpiIo, NamesCallAndPathWhereOpeningFailsInTheMiddle) {
  MotifBench bench(group_, "mpiio", options());
  group_.barrier();
  if (world_rank() == 0) {
    fs::remove(path_);
    fs::create_directory(path_);
  }
  group_.barrier();
  try {
    bench.perform();
    ADD_FAILURE() << "was not noticed";
  } catch (const MachineFault& fault) {
    EXPECT_THAT(fault.what(), AllOf(HasSubstr("MPI_File_open"), HasSubstr(path_.string())));
  }
  group_.barrier();
}

TEST_F(MpiIo, MeasuresItsPartsOnTheClockAndCountsItsBytes) {
  class Ticking final : public Clock {
   public:
    std::int64_t now_ns() const noexcept override { return now_ += 1'000'000'000; }
    mutable std::int64_t now_ = 0;
  } clock;
  Recorder recorder(clock);
  MotifBench bench(group_, "mpiio", options({{"sync", ""}}));
  bench->perform(recorder);
  bench->perform(recorder);
  std::vector<std::pair<std::string, double>> measured;
  for (Metric* metric : bench->metrics()) measured.emplace_back(metric->name(), metric->take());
  EXPECT_THAT(measured, testing::ElementsAre(std::pair{"open_time_s", 2.0}, std::pair{"write_time_s", 2.0},
                                             std::pair{"sync_time_s", 2.0}, std::pair{"close_time_s", 2.0},
                                             std::pair{"written_bytes", 2000.0}));
}

}  // namespace
}  // namespace stressbench::test
