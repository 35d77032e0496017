// Ownership of files on all ranks of a job: what is refused, what is left, what is removed.
#include "io/owned_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "core/process.hpp"
#include "core/signals.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

namespace fs = std::filesystem;
using io::Claim;
using io::Existing;
using io::file_name;
using io::OwnedFiles;
using io::Sidecar;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Names = std::set<std::string>;

class OwnedFilesOf : public testing::Test {
 protected:
  void SetUp() override {
    group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate();
    if (world_rank() == 0) fs::create_directory(folder_);
    group_.barrier();
  }
  void TearDown() override {
    group_.barrier();
    if (world_rank() == 0) fs::remove_all(folder_);
    group_.barrier();
  }
  Claim claim(io::Layout layout = {.single_file = true}) const {
    return {.path = path_, .layout = layout, .run = {.id = "mine", .launch = "today"}};
  }
  Claim replacing(io::Layout layout = {.single_file = true}) const {
    Claim bold = claim(layout);
    bold.existing = Existing::replace;
    return bold;
  }
  Claim keeping() const {
    Claim interned = claim();
    interned.keep = true;
    return interned;
  }
  static void make(const std::string& name) { std::ofstream(name) << "made"; }
  // Executes `action` on one rank, before all continue.
  void by_first(const std::function<void()>& action) const {
    if (world_rank() == 0) action();
    group_.barrier();
  }
  // Names in the directory, while no rank changes it.
  Names existing_names() const {
    group_.barrier();
    Names names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      names.insert(entry.path().lexically_relative(folder_).string());
    }
    group_.barrier();
    return names;
  }
  // Number of files in the sidecar file; none without one.
  std::optional<std::int64_t> noted_files() const {
    group_.barrier();
    const auto note = io::read_sidecar(path_);
    group_.barrier();
    return note ? std::optional<std::int64_t>(note->layout.files) : std::nullopt;
  }
  // Leaves the sidecar file and the files of another run.
  void leave(const io::Run& run, io::Layout layout, const std::string& host = "elsewhere") const {
    by_first([&] {
      io::create_sidecar(path_, Sidecar{run, host, 12345, layout});
      for_each_file(path_, layout, {}, make);
    });
  }
  std::string rejection(const Claim& wanted) const {
    try {
      const OwnedFiles files(group_, wanted);
      ADD_FAILURE() << "was not refused";
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "file");
      return mistake.what();
    }
    return "";
  }

  fs::path folder_ = fs::current_path() / "owned";
  // One name per test, since kept files stay known to the program.
  std::string name_ = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string path_ = folder_ / name_;
  std::string note_ = name_ + ".stressbench";
  mpi::Group group_;
};

TEST_F(OwnedFilesOf, AreMarkedWhileTheyAreThereAndRemovedAtTheEnd) {
  {
    OwnedFiles files(group_, claim());
    EXPECT_EQ(existing_names(), Names{note_});
    by_first([&] { make(path_); });
    EXPECT_EQ(existing_names(), (Names{name_, note_}));
    EXPECT_THAT(files.notes(), IsEmpty());
  }
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, AreReleasedByEachRankItsShare) {
  const int files_of_each = 3;
  OwnedFiles files(group_, claim({.single_file = true, .files = files_of_each * world_size(), .directories = 2}));
  for (int i = 0; i < files_of_each; ++i) make(file_name(path_, world_rank() * files_of_each + i));
  make(file_name(path_, world_rank(), world_rank() % 2));
  by_first([&] { make(path_); });
  EXPECT_EQ(existing_names().size(), static_cast<std::size_t>(5 + 4 * world_size()));
  files.release(group_);
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, SomebodyElseAreRefusedOnEveryRankAndNotTouched) {
  by_first([&] { make(path_); });
  EXPECT_EQ(rejection(claim()), "--file: '" + path_ +
                                    "' exists, and this run did not create it; remove it, or give "
                                    "--overwrite");
  EXPECT_EQ(existing_names(), Names{name_});
}

TEST_F(OwnedFilesOf, SomebodyElseAreRefusedByEachNameThatIsTaken) {
  by_first([&] { make(file_name(path_, 3)); });
  EXPECT_THAT(rejection(claim({.files = 4})), HasSubstr(name_ + ".00000003' exists"));
  EXPECT_NO_THROW(OwnedFiles(group_, claim({.files = 3})));
  EXPECT_EQ(existing_names(), Names{name_ + ".00000003"});
}

TEST_F(OwnedFilesOf, SomebodyElseAreReplacedWhenAsked) {
  by_first([&] { make(path_); });
  {
    const OwnedFiles files(group_, replacing());
    EXPECT_EQ(existing_names(), Names{note_});
  }
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, DirectoriesAreNeverReplaced) {
  by_first([&] { fs::create_directories(path_ + ".d/precious"); });
  EXPECT_THAT(rejection(replacing({.directories = 1})), HasSubstr(".d' is not a regular file"));
  by_first([&] { fs::create_directory(path_); });
  EXPECT_THAT(rejection(replacing()), HasSubstr("is not a regular file"));
  EXPECT_EQ(existing_names(), (Names{name_, name_ + ".d", name_ + ".d/precious"}));
}

TEST_F(OwnedFilesOf, LinksAreNeverReplaced) {
  by_first([&] { fs::create_symlink("/dev/null", path_); });
  EXPECT_THAT(rejection(replacing()), HasSubstr("is not a regular file"));
  EXPECT_EQ(existing_names(), Names{name_});
}

TEST_F(OwnedFilesOf, AnInterruptedLaunchOfTheSameRunAreRemovedAndRemarked) {
  leave({.id = "mine", .launch = "yesterday"}, {.single_file = true, .files = 2, .directories = 1});
  by_first([&] {
    fs::create_directories(path_ + ".d/00000000");
    make(file_name(path_, 9, 0));
  });
  OwnedFiles files(group_, claim());
  EXPECT_EQ(existing_names(), Names{note_});
  if (world_rank() == 0) {
    EXPECT_THAT(files.notes(),
                ElementsAre("'" + path_ + "': removed 4 files that run 'mine' had left when it was interrupted"));
  }
  EXPECT_THAT(files.notes(), IsEmpty());
}

TEST_F(OwnedFilesOf, AnInterruptedLaunchStayWhereTheirRemovalIsToldToStop) {
  leave({.id = "mine", .launch = "yesterday"}, {.single_file = true, .files = 9000});
  signals::stop_requested = 1;
  EXPECT_THROW(OwnedFiles(group_, claim()), MachineFault);
  signals::stop_requested = 0;
  const Names left = existing_names();
  EXPECT_TRUE(left.contains(note_));
  EXPECT_GT(left.size(), 2000U);
  const OwnedFiles files(group_, claim());
  EXPECT_EQ(existing_names(), Names{note_});
}

TEST_F(OwnedFilesOf, AnotherRunAreRefusedWithItsName) {
  leave({.id = "theirs", .launch = "yesterday"}, {.single_file = true});
  EXPECT_THAT(rejection(claim()),
              AllOf(HasSubstr("--file: '" + path_ + "' belongs to run 'theirs' on host elsewhere"),
                    HasSubstr("launch yesterday"), HasSubstr("--run-id theirs"), HasSubstr("--overwrite")));
  EXPECT_EQ(existing_names(), (Names{name_, note_}));
}

TEST_F(OwnedFilesOf, AnotherRunAreReplacedWhenAskedDirectoriesToo) {
  leave({.id = "theirs", .launch = "yesterday"}, {.single_file = true, .directories = 1});
  by_first([&] { fs::create_directories(path_ + ".d/00000000"); });
  {
    const OwnedFiles files(group_, replacing({.directories = 1}));
    EXPECT_EQ(existing_names(), (Names{note_, name_ + ".d", name_ + ".d/00000000"}));
  }
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, AnotherJobOfTheSameLaunchAreInUse) {
  leave({.id = "mine", .launch = "today"}, {.single_file = true});
  EXPECT_THAT(rejection(claim()), HasSubstr("is in use by process 12345 on host elsewhere"));
  EXPECT_THAT(rejection(replacing()), HasSubstr("give each job its own file"));
  EXPECT_EQ(existing_names(), (Names{name_, note_}));
}

TEST_F(OwnedFilesOf, AnotherLaunchThatStillRunsAreInUse) {
  by_first([&] {
    Sidecar other = io::own_sidecar({.id = "mine", .launch = "yesterday"}, {.single_file = true});
    other.pid = ::getppid();
    other.process_start = start_of_process(other.pid);
    io::create_sidecar(path_, other);
  });
  EXPECT_THAT(rejection(claim()), HasSubstr("is in use by process "));
  EXPECT_EQ(existing_names(), Names{note_});
}

TEST_F(OwnedFilesOf, ALaunchWhoseProcessNumberAnotherHasGotAreRemoved) {
  by_first([&] {
    Sidecar other = io::own_sidecar({.id = "mine", .launch = "yesterday"}, {.single_file = true});
    other.pid = ::getppid();
    other.process_start = start_of_process(other.pid).value() - 1;
    io::create_sidecar(path_, other);
  });
  EXPECT_NO_THROW(OwnedFiles(group_, claim()));
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, NobodyKnowsAreRefusedUntilOverwritten) {
  by_first([&] { make(io::sidecar_name(path_)); });
  EXPECT_THAT(rejection(claim()), HasSubstr("does not name the owner of these files"));
  EXPECT_NO_THROW(OwnedFiles(group_, replacing()));
  EXPECT_EQ(existing_names(), Names{});
}

// Whoever may write to the directory could name any files there.
TEST_F(OwnedFilesOf, ANoteThatIsALinkAreNotRemovedEvenIfOverwritten) {
  const std::string other = path_ + ".theirs";
  by_first([&] {
    io::create_sidecar(path_, Sidecar{{.id = "theirs", .launch = "once"}, "elsewhere", 12345, {.single_file = true}});
    fs::rename(io::sidecar_name(path_), other);
    fs::create_symlink(other, io::sidecar_name(path_));
    make(path_);
  });
  EXPECT_THAT(rejection(replacing()), HasSubstr("belongs to another user or is not a regular file"));
  EXPECT_EQ(existing_names(), (Names{name_, name_ + ".theirs", note_}));
}

TEST_F(OwnedFilesOf, TwoStepsGoWithTheLastOne) {
  OwnedFiles first(group_, claim());
  by_first([&] { make(path_); });
  {
    const OwnedFiles second(group_, claim({.single_file = true, .files = 2, .directories = 1}));
    EXPECT_EQ(noted_files(), 2);
    EXPECT_EQ(existing_names(), (Names{name_, note_, name_ + ".d", name_ + ".d/00000000"}));
  }
  EXPECT_EQ(existing_names(), (Names{name_, note_, name_ + ".d", name_ + ".d/00000000"}));
  first.release(group_);
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, AStepThatHasThemAloneAreRefusedToOthers) {
  Claim exclusive = claim();
  exclusive.exclusive = true;
  {
    const OwnedFiles first(group_, exclusive);
    EXPECT_THAT(rejection(claim()), HasSubstr("'" + path_ + "' belongs to another step of this job"));
    EXPECT_EQ(existing_names(), Names{note_});
  }
  {
    const OwnedFiles first(group_, claim());
    EXPECT_THAT(rejection(exclusive), HasSubstr("give each step its own path"));
    EXPECT_NO_THROW(OwnedFiles(group_, claim()));
  }
  EXPECT_NO_THROW(OwnedFiles(group_, exclusive));
  EXPECT_EQ(existing_names(), Names{});
}

TEST_F(OwnedFilesOf, AStepStayWhereItsNextNeedsMoreAndCannotHaveIt) {
  const OwnedFiles first(group_, claim());
  by_first([&] {
    make(path_);
    make(file_name(path_, 0));
  });
  EXPECT_THAT(rejection(claim({.single_file = true, .files = 1})), HasSubstr(".00000000' exists"));
  EXPECT_EQ(existing_names(), (Names{name_, note_, name_ + ".00000000"}));
  EXPECT_EQ(noted_files(), 0);
}

TEST_F(OwnedFilesOf, AStepThatKeepsThemStayAndMayBeClaimedAgain) {
  for (int round = 0; round < 2; ++round) {
    const OwnedFiles files(group_, keeping());
    EXPECT_TRUE(existing_names().contains(note_));
    by_first([&] { make(path_); });
  }
  EXPECT_EQ(existing_names(), Names{name_});
  OwnedFiles files(group_, keeping());
  files.release(group_);
  EXPECT_EQ(existing_names(), Names{name_});
}

// The last rank fails; the others are still working and will be aborted.
TEST_F(OwnedFilesOf, ARunThatFailsAreRemovedByTheRankThatFailedAlone) {
  const auto work = [&] {
    const OwnedFiles files(group_, claim({.single_file = true, .files = world_size(), .directories = 1}));
    make(file_name(path_, world_rank()));
    make(file_name(path_, world_rank(), 0));
    by_first([&] { make(path_); });
    if (world_rank() == world_size() - 1) throw MachineFault("on purpose");
    EXPECT_EQ(existing_names(), Names{});
  };
  try {
    work();
  } catch (const MachineFault&) {
    EXPECT_EQ(existing_names(), Names{});
  }
}

TEST_F(OwnedFilesOf, ARunThatFailsButKeepsThemStayItsOwn) {
  try {
    const OwnedFiles files(group_, keeping());
    by_first([&] { make(path_); });
    throw MachineFault("on purpose");
  } catch (const MachineFault&) {
  }
  EXPECT_EQ(existing_names(), (Names{name_, note_}));
}

TEST_F(OwnedFilesOf, AFolderThatIsMissingAreAFaultOnEveryRank) {
  Claim nowhere = claim();
  nowhere.path = folder_ / "no/out";
  try {
    const OwnedFiles files(group_, nowhere);
    ADD_FAILURE() << "was not refused";
  } catch (const MachineFault& fault) {
    EXPECT_EQ(fault.what(), "open '" + nowhere.path + ".stressbench': No such file or directory");
  }
}

}  // namespace
}  // namespace stressbench::test
