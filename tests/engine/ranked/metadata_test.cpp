// metadata: what is on disk at which time, what is counted, what verification detects, and what is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "core/payload.hpp"
#include "io/layout.hpp"
#include "io/sidecar.hpp"
#include "motif_bench.hpp"
#include "stepping_clock.hpp"
#include "storage_fixture.hpp"

namespace stressbench::test {
namespace {

namespace fs = std::filesystem;
using io::file_name;
using testing::AllOf;
using testing::HasSubstr;

// Waits for all ranks before the files are removed.
class Bench : public MotifBench {
 public:
  Bench(const mpi::Group& group, const Options& options) : MotifBench(group, "metadata", options), group_(group) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { group_.barrier(); }

 private:
  const mpi::Group& group_;
};

class Metadata : public testing::Test {
 protected:
  void SetUp() override { group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate(); }
  void TearDown() override {
    by_first([&] {
      for (const char* end : {"", ".d", ".stressbench"}) fs::remove_all(path_ + end);
    });
  }
  Options options(Options more = {}) const {
    const auto given = [&](const char* name) {
      return std::ranges::any_of(more, [&](const auto& option) { return option.first == name; });
    };
    if (!given("file")) more.emplace_back("file", path_);
    if (!given("files")) more.emplace_back("files", std::to_string(files));
    return more;
  }
  // Executes `action` on one rank, while the others wait.
  template <class Action>
  void by_first(Action action) const {
    group_.barrier();
    if (world_rank() == 0) action();
    group_.barrier();
  }
  // Names below the directory, while no rank changes it.
  std::set<std::string> there() const {
    group_.barrier();
    std::set<std::string> names;
    if (fs::exists(path_ + ".d")) {
      for (const auto& entry : fs::recursive_directory_iterator(path_ + ".d")) {
        names.insert(entry.path().lexically_relative(path_ + ".d"));
      }
    }
    group_.barrier();
    return names;
  }
  // Item `index` of rank `rank`, in the tree shared by all ranks.
  std::string shared_name(int rank, int index) const { return file_name(path_, rank * files + index, 0); }
  std::string fault_of(const std::function<void()>& action) const {
    try {
      action();
      ADD_FAILURE() << "no fault";
    } catch (const MachineFault& fault) {
      return fault.what();
    }
    return "";
  }
  int next_rank() const { return (world_rank() + 1) % world_size(); }

  static constexpr int files = 7;
  // In the directory of the launch; one name per test, since kept files stay known to the program.
  std::string path_ = fs::current_path() / testing::UnitTest::GetInstance()->current_test_info()->name();
  mpi::Group group_;
};

std::map<std::string, double> taken(Motif& motif) {
  std::map<std::string, double> metrics;
  for (Metric* metric : motif.measured()) metrics[metric->name()] = metric->take();
  return metrics;
}

TEST_F(Metadata, OfASharedTreeMeetInOneDirectory) {
  Bench bench(group_, options({{"do", "create"}, {"size", "100"}}));
  EXPECT_EQ(there(), std::set<std::string>{"00000000"});
  bench.perform();
  EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + files * world_size()));
  for (int i = 0; i < files; ++i) EXPECT_EQ(fs::file_size(shared_name(world_rank(), i)), 100u);
  EXPECT_EQ(taken(*bench)["operations"], files);
}

TEST_F(Metadata, OfAnOwnTreeLieInADirectoryOfEachRank) {
  Bench bench(group_, options({{"do", "create"}, {"tree", "own"}}));
  bench.perform();
  EXPECT_EQ(there().size(), static_cast<std::size_t>((1 + files) * world_size()));
  for (int i = 0; i < files; ++i) EXPECT_EQ(fs::file_size(file_name(path_, i, world_rank())), 0u);
}

TEST_F(Metadata, MayBeDirectories) {
  Bench bench(group_, options({{"do", "create"}, {"items", "directories"}}));
  bench.perform();
  EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + files * world_size()));
  for (int i = 0; i < files; ++i) EXPECT_TRUE(fs::is_directory(shared_name(world_rank(), i)));
  group_.barrier();
  bench->finish(group_, 1);
  group_.barrier();
  EXPECT_FALSE(fs::exists(path_ + ".d"));
}

TEST_F(Metadata, AreThereForWhatNeedsThemAndGoneAfterUnlink) {
  for (const char* work : {"stat", "open", "unlink"}) {
    Bench bench(group_, options({{"do", work}, {"size", "10"}}));
    EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + files * world_size())) << work;
    bench.perform();
    const bool left = std::string(work) != "unlink";
    EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + (left ? files * world_size() : 0))) << work;
    bench->prepare(1);
    EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + files * world_size())) << work;
    bench->finish(group_, 1);
    group_.barrier();
  }
}

TEST_F(Metadata, AreCreatedAnewEachTime) {
  Bench bench(group_, options({{"do", "create"}}));
  for (std::uint64_t execution = 0; execution < 3; ++execution) {
    bench->prepare(execution);
    EXPECT_EQ(there().size(), 1u);
    EXPECT_NO_THROW(bench.perform());
    EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + files * world_size()));
    bench->reduce_metrics();
  }
}

TEST_F(Metadata, MeasureEachOperationAndTheWhole) {
  Bench bench(group_, options());
  const Ticking clock;
  Recorder recorder{clock};
  bench->perform(recorder);
  bench->reduce_metrics();
  const std::map<std::string, double> found = taken(*bench);
  ASSERT_EQ(found.size(), 9u);
  EXPECT_EQ(found.at("operations"), 4 * files);
  for (const char* verb : {"create", "stat", "open", "unlink"}) {
    // Clock readings: at arrival and when all ranks have arrived; two per operation; when all ranks are done.
    EXPECT_EQ(found.at(std::string(verb) + "_time_s"), 2 * files) << verb;
    EXPECT_DOUBLE_EQ(found.at(std::string(verb) + "s_per_s"), files * world_size() / (2.0 * files + 2)) << verb;
  }
  const auto histograms = bench->histograms();
  ASSERT_EQ(histograms.size(), 4u);
  for (const MotifHistogram* histogram : histograms) {
    EXPECT_EQ(histogram->durations().counts.total(), static_cast<std::uint64_t>(files));
    EXPECT_EQ(histogram->durations().max_ns, 1'000'000'000);
  }
}

TEST_F(Metadata, MeasureOnlyWhatTheyDo) {
  const auto motif = make_motif("metadata", options({{"do", "stat"}}));
  std::vector<std::string> names;
  for (const Metric* metric : motif->measured()) names.push_back(metric->name());
  EXPECT_THAT(names, testing::ElementsAre("stat_time_s", "stats_per_s", "operations"));
  EXPECT_EQ(motif->histograms().size(), 1u);
  EXPECT_EQ(motif->histograms()[0]->quantity(), "stat");
}

// A rank that arrived early, or learned late that all are done, saw more time than the phase took.
TEST_F(Metadata, RateIsOverTheLeastTimeThatARankSaw) {
  Bench bench(group_, options({{"do", "stat"}}));
  const Ticking clock(world_rank() + 1);
  Recorder recorder{clock};
  bench->perform(recorder);
  bench->reduce_metrics();
  std::map<std::string, double> found = taken(*bench);
  EXPECT_DOUBLE_EQ(found["stats_per_s"], files * world_size() / (2.0 * files + 2));
  EXPECT_EQ(found["stat_time_s"], 2 * files * (world_rank() + 1));
}

class MetadataVerified : public Metadata, public testing::WithParamInterface<Options> {
 protected:
  MetadataVerified() { path_ = fs::current_path() / "metadata_verified"; }
};

TEST_P(MetadataVerified, FindWhatTheyLookForEachTime) {
  const std::unique_ptr<Motif> probe = make_motif("metadata", options(GetParam()));
  if (!fits(*probe, world_size())) GTEST_SKIP() << "does not fit " << world_size() << " ranks";
  Bench bench(group_, options(GetParam()));
  for (std::uint64_t execution = 0; execution < 3; ++execution) {
    bench->prepare(execution * static_cast<std::uint64_t>(bench->iterations()));
    for (std::int64_t i = 0; i < bench->iterations(); ++i) {
      const std::uint64_t pass = execution * static_cast<std::uint64_t>(bench->iterations()) + static_cast<unsigned>(i);
      bench->fill_payload(pass);
      EXPECT_NO_THROW(bench.perform());
      EXPECT_NO_THROW(bench->verify(pass));
    }
    bench->reduce_metrics();
  }
  bench->finish(group_, 1);
  group_.barrier();
  EXPECT_FALSE(fs::exists(path_ + ".d"));
  EXPECT_FALSE(fs::exists(path_ + ".stressbench"));
}

INSTANTIATE_TEST_SUITE_P(
    Of, MetadataVerified,
    testing::Values(Options{}, Options{{"size", "3000"}}, Options{{"size", "3901"}, {"read", ""}, {"-i", "3"}},
                    Options{{"tree", "own"}, {"shift", "1"}, {"size", "10"}}, Options{{"shift", "1"}, {"random", ""}},
                    Options{{"shift", "3"}, {"size", "100"}, {"read", ""}, {"random", ""}},
                    Options{{"items", "directories"}, {"random", ""}},
                    Options{{"items", "directories"}, {"tree", "own"}, {"shift", "1"}},
                    Options{{"do", "create"}, {"size", "100"}, {"sync", ""}}, Options{{"do", "stat"}, {"size", "100"}},
                    Options{{"do", "stat"}, {"items", "directories"}}, Options{{"do", "open"}, {"size", "100"}},
                    Options{{"do", "open"}, {"size", "100"}, {"read", ""}, {"shift", "1"}, {"-i", "2"}},
                    Options{{"do", "unlink"}, {"shift", "1"}, {"tree", "own"}},
                    Options{{"do", "unlink"}, {"items", "directories"}}, Options{{"files", "1"}, {"think", "1us"}}));

// Every rank damages one of its own items, so that every rank that checks items detects one.
TEST_F(Metadata, OfAWrongSizeAreNoticedByWhoStatsThem) {
  Bench bench(group_, options({{"do", "stat"}, {"size", "100"}}));
  fs::resize_file(shared_name(world_rank(), 5), 99);
  bench->fill_payload(0);
  EXPECT_EQ(fault_of([&] { bench.perform(); }), "wrong size: '" + shared_name(world_rank(), 5) +
                                                    "' has 99 bytes, where rank " + std::to_string(world_rank()) +
                                                    " wrote 100 (seen by rank " + std::to_string(world_rank()) + ")");
}

TEST_F(Metadata, OfAnotherKindAreNoticedByWhoStatsThem) {
  Bench bench(group_, options({{"do", "stat"}}));
  fs::remove(shared_name(world_rank(), 5));
  fs::create_directory(shared_name(world_rank(), 5));
  bench->fill_payload(0);
  EXPECT_THAT(fault_of([&] { bench.perform(); }),
              HasSubstr("wrong type: '" + shared_name(world_rank(), 5) + "' is not a regular file, but rank "));
}

TEST_F(Metadata, WithAWrongByteAreNoticedByWhoOpensThem) {
  for (const bool read : {false, true}) {
    Options all{{"do", "open"}, {"size", "100"}};
    if (read) all.emplace_back("read", "");
    Bench bench(group_, options(all));
    const payload::Origin origin{world_rank(), 5, 0};
    std::fstream file(shared_name(world_rank(), 5), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(42);
    file.put(static_cast<char>(payload::expected(origin, 42) ^ std::byte{1}));
    file.close();
    bench->fill_payload(0);
    EXPECT_THAT(fault_of([&] { bench.perform(); }),
                AllOf(HasSubstr("wrong byte: '" + shared_name(world_rank(), 5) + "' has"),
                      HasSubstr("at offset 42, where rank " + std::to_string(world_rank()) + " wrote")));
    group_.barrier();
  }
}

TEST_F(Metadata, ThatWereCreatedWrongAreNoticedByTheRankBefore) {
  Bench bench(group_, options({{"do", "create"}, {"size", "100"}}));
  bench->fill_payload(4);
  bench.perform();
  fs::resize_file(shared_name(world_rank(), 5), 99);
  EXPECT_THAT(fault_of([&] { bench->verify(4); }), AllOf(HasSubstr("wrong size: '" + shared_name(next_rank(), 5)),
                                                         HasSubstr("seen by rank " + std::to_string(world_rank()))));
}

TEST_F(Metadata, OfAnEarlierTimeAreNoticed) {
  Bench bench(group_, options({{"do", "create"}, {"size", "100"}}));
  bench->fill_payload(4);
  bench.perform();
  EXPECT_THAT(fault_of([&] {
                bench->fill_payload(5);
                bench->verify(5);
              }),
              HasSubstr("wrong byte"));
}

TEST_F(Metadata, ThatAreStillThereAreNoticed) {
  Bench bench(group_, options());
  bench->fill_payload(0);
  bench.perform();
  std::ofstream(shared_name(world_rank(), 3)) << "back";
  EXPECT_THAT(fault_of([&] { bench->verify(0); }), HasSubstr("still there: '" + shared_name(next_rank(), 3) + "'"));
}

TEST_F(Metadata, OfAShiftAreThoseOfTheRankFurtherOn) {
  if (world_size() == 1) GTEST_SKIP() << "on 2 ranks and more";
  Bench bench(group_, options({{"do", "stat"}, {"size", "100"}, {"shift", "1"}, {"tree", "own"}}));
  fs::resize_file(file_name(path_, 0, world_rank()), 99);
  bench->fill_payload(0);
  EXPECT_THAT(fault_of([&] { bench.perform(); }), HasSubstr(file_name(path_, 0, next_rank()) + "' has 99 bytes"));
}

TEST_F(Metadata, AreTakenInAnotherOrderEachTimeWhenAsked) {
  constexpr int many = 200;
  Bench bench(group_, options({{"do", "unlink"}, {"random", ""}, {"tree", "own"}, {"files", std::to_string(many)}}));
  std::set<std::size_t> left;
  for (std::uint64_t execution = 0; execution < 3; ++execution) {
    bench->prepare(execution);
    fs::remove(file_name(path_, 0, world_rank()));  // the first in plain order: shows how many were removed before it
    EXPECT_THAT(fault_of([&] { bench.perform(); }),
                HasSubstr("unlink '" + file_name(path_, 0, world_rank()) + "': No such file or directory"));
    const fs::path own = fs::path(file_name(path_, 0, world_rank())).parent_path();
    left.insert(static_cast<std::size_t>(std::distance(fs::directory_iterator(own), {})));
    // After a fault the state is unknown, so the items are restored by hand.
    for (int i = 0; i < many; ++i) std::ofstream(file_name(path_, i, world_rank())) << "";
    group_.barrier();
  }
  EXPECT_EQ(left.size(), 3u);
  EXPECT_FALSE(left.contains(many - 1));
}

TEST_F(Metadata, StayWhenAskedAndMayBeUsedAgain) {
  for (std::uint64_t round = 0; round < 2; ++round) {
    Bench bench(group_, options({{"do", "create"}, {"size", "10"}, {"keep", ""}}));
    bench->fill_payload(round);
    EXPECT_NO_THROW(bench.perform());
    EXPECT_NO_THROW(bench->verify(round));
    bench->finish(group_, 1);
    EXPECT_EQ(there().size(), static_cast<std::size_t>(1 + files * world_size()));
    EXPECT_FALSE(fs::exists(path_ + ".stressbench"));
  }
}

TEST_F(Metadata, OfAnotherRunAreReplacedOnlyWhenAsked) {
  by_first([&] {
    io::create_sidecar(path_, {{.id = "theirs", .launch = "once"}, "elsewhere", 12345, {.directories = 1}});
    fs::create_directories(path_ + ".d/00000000/00000003");
    std::ofstream(shared_name(0, 1)) << "theirs";
  });
  EXPECT_THROW(Bench(group_, options()), ParameterMistake);
  EXPECT_EQ(there(), (std::set<std::string>{"00000000", "00000000/00000001", "00000000/00000003"}));
  Bench bench(group_, options({{"overwrite", ""}}));
  EXPECT_EQ(there(), std::set<std::string>{"00000000"});
  EXPECT_NO_THROW(bench.perform());
  group_.barrier();
  bench->finish(group_, 1);
  if (world_rank() == 0) {
    EXPECT_THAT(bench->notes(),
                testing::ElementsAre(HasSubstr("removed 2 files that run 'theirs' had left when it was interrupted")));
  }
}

TEST_F(Metadata, OfAnInterruptedLaunchOfTheSameRunAreRemoved) {
  by_first([&] {
    io::create_sidecar(path_, {{.id = "test", .launch = "yesterday"}, "elsewhere", 12345, {.directories = 2}});
    fs::create_directories(path_ + ".d/00000000/00000003");
    fs::create_directories(path_ + ".d/00000001");
    std::ofstream(shared_name(0, 1)) << "left";
  });
  Bench bench(group_, options());
  EXPECT_EQ(there(), std::set<std::string>{"00000000"});
  EXPECT_NO_THROW(bench.perform());
}

TEST_F(Metadata, OfNobodyAreRefusedAndNotTouched) {
  by_first([&] {
    fs::create_directory(path_ + ".d");
    std::ofstream(path_ + ".d/precious") << "precious";
  });
  for (const Options& more : {Options{}, Options{{"overwrite", ""}}}) {
    try {
      const Bench bench(group_, options(more));
      ADD_FAILURE() << "was not refused";
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "file");
      EXPECT_THAT(mistake.what(), HasSubstr(path_ + ".d' is not a regular file"));
    }
  }
  EXPECT_EQ(there(), std::set<std::string>{"precious"});
}

TEST_F(Metadata, OfAnotherStepAreRefused) {
  const Bench first(group_, options());
  try {
    const Bench second(group_, options({{"do", "stat"}}));
    ADD_FAILURE() << "was not refused";
  } catch (const ParameterMistake& mistake) {
    EXPECT_THAT(mistake.what(), HasSubstr("belongs to another step of this job; give each step its own path"));
  }
}

TEST_F(Metadata, OfARunThatFailsAreRemoved) {
  try {
    Bench bench(group_, options({{"do", "create"}, {"tree", "own"}}));
    bench.perform();
    throw MachineFault("on purpose");
  } catch (const MachineFault&) {
  }
  group_.barrier();
  EXPECT_FALSE(fs::exists(path_ + ".d"));
  EXPECT_FALSE(fs::exists(path_ + ".stressbench"));
}

TEST_F(Metadata, WhoseNameIsTakenAreAFaultAndTheirNamesakesNotTouched) {
  Bench bench(group_, options({{"do", "create"}, {"size", "10"}}));
  std::ofstream(shared_name(world_rank(), 2)) << "precious";
  EXPECT_EQ(fault_of([&] { bench.perform(); }), "open '" + shared_name(world_rank(), 2) + "': File exists");
  EXPECT_EQ(fs::file_size(shared_name(world_rank(), 2)), 8u);
}

TEST_F(Metadata, ThatAreLinksAreNotFollowed) {
  Bench bench(group_, options({{"do", "unlink"}}));
  bench.perform();
  const std::string precious = fs::current_path() / ("precious" + std::to_string(world_rank()));
  std::ofstream(precious) << "precious";
  fs::create_symlink(precious, shared_name(world_rank(), 2));
  EXPECT_THAT(fault_of([&] { bench->prepare(1); }), HasSubstr("open '" + shared_name(world_rank(), 2) + "': "));
  EXPECT_EQ(fs::file_size(precious), 8u);
  fs::remove(precious);
}

TEST_F(Metadata, BelowAFolderThatIsMissingAreAFault) {
  const std::string nowhere = fs::current_path() / "no/such";
  EXPECT_EQ(fault_of([&] {
              Bench(group_, options({{"file", nowhere}}));
            }),
            "open '" + nowhere + ".stressbench': No such file or directory");
}

TEST_F(Metadata, ThatAreGoneAreAFault) {
  for (const auto& [work, call] : {std::pair{"stat", "stat"}, {"open", "open"}, {"unlink", "unlink"}}) {
    Bench bench(group_, options({{"do", work}}));
    fs::remove(shared_name(world_rank(), 4));
    EXPECT_EQ(fault_of([&] { bench.perform(); }),
              std::string(call) + " '" + shared_name(world_rank(), 4) + "': No such file or directory");
    group_.barrier();
  }
}

TEST_F(Metadata, OnAStorageThatBecomesReadOnlyAreAFault) {
  const SmallDisk disk(group_, 1 << 20);
  if (!disk.mounted()) GTEST_SKIP() << "no file system can be mounted: " << disk.mount_error();
  const std::string path = disk.file();
  try {
    Bench bench(group_, options({{"do", "create"}, {"file", path}}));
    const std::string folder = fs::path(path).parent_path();
    by_first([&] { ::mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr); });
    EXPECT_EQ(fault_of([&] { bench.perform(); }),
              "open '" + file_name(path, world_rank() * files, 0) + "': Read-only file system");
  } catch (const std::exception& unexpected) {
    ADD_FAILURE() << unexpected.what();
  }
}

TEST_F(Metadata, OnAFullStorageAreAFault) {
  const SmallDisk disk(group_, 64 << 10);
  if (!disk.mounted()) GTEST_SKIP() << "no file system can be mounted: " << disk.mount_error();
  const std::string words = fault_of([&] {
    Bench bench(group_, options({{"do", "create"}, {"size", "16KiB"}, {"files", "100"}, {"file", disk.file()}}));
    bench.perform();
  });
  EXPECT_THAT(words, HasSubstr("of 16384 bytes at offset 0: No space left on device"));
}

}  // namespace
}  // namespace stressbench::test
