// The names derived from a path, and the sidecar file that records the owner.
#include "io/layout.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <limits>
#include <set>

#include "backend_bench.hpp"
#include "io/sidecar.hpp"

namespace stressbench::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Files : public StorageTest {
 protected:
  void make(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << "x";
  }
  std::set<std::string> there() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      names.insert(entry.path().lexically_relative(folder_));
    }
    return names;
  }
};

std::vector<std::string> files_of(const Layout& wanted, const Layout& known = {}) {
  std::vector<std::string> names;
  for_each_directory("/x/out", wanted, known, [&](const std::string& name) { names.push_back(name + "/"); });
  for_each_file("/x/out", wanted, known, [&](const std::string& name) { names.push_back(name); });
  return names;
}

TEST_F(Files, AreNamedByNumberAndDirectory) {
  EXPECT_EQ(file_name("/x/out"), "/x/out");
  EXPECT_EQ(file_name("/x/out", 12), "/x/out.00000012");
  EXPECT_EQ(file_name("/x/out", 12, 3), "/x/out.d/00000003/00000012");
  EXPECT_EQ(file_name("/x/out", 123'456'789), "/x/out.123456789");
}

TEST_F(Files, AreNamedTheSameOneAfterTheOther) {
  NumberedName name("/x/out");
  for (const std::int64_t number : {std::int64_t{12}, std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    for (const std::int64_t directory : {3, 123'456'789}) {
      EXPECT_EQ(name.of(number, directory), file_name("/x/out", number, directory));
    }
  }
}

TEST_F(Files, AreThoseOfALayout) {
  EXPECT_THAT(files_of({.single_file = true}), ElementsAre("/x/out"));
  EXPECT_THAT(files_of({.files = 2}), ElementsAre("/x/out.00000000", "/x/out.00000001"));
  EXPECT_THAT(files_of({.directories = 2}), ElementsAre("/x/out.d/", "/x/out.d/00000000/", "/x/out.d/00000001/"));
}

TEST_F(Files, ThatAreKnownAlreadyAreLeftOut) {
  EXPECT_THAT(files_of({.single_file = true, .files = 3, .directories = 2},
                       {.single_file = true, .files = 2, .directories = 1}),
              ElementsAre("/x/out.d/00000001/", "/x/out.00000002"));
}

TEST_F(Files, OfTwoLayoutsAreThoseOfEither) {
  const Layout both = merged({.single_file = true, .files = 2}, {.files = 5, .directories = 1});
  EXPECT_TRUE(both.single_file);
  EXPECT_EQ(both.files, 5);
  EXPECT_EQ(both.directories, 1);
}

TEST_F(Files, OfALayoutAreRemovedAndNoOthers) {
  for (const char* name : {"out", "out.00000000", "out.00000001", "out.00000002", "out.txt", "out.d/00000000/00000007",
                           "out.d/00000001/00000001"}) {
    make(name);
  }
  EXPECT_EQ(remove_all(path(), {.single_file = true, .files = 2, .directories = 2}), 5);
  EXPECT_THAT(there(), ElementsAre("out.00000002", "out.txt"));
}

TEST_F(Files, ThatAreForeignKeepTheirDirectory) {
  make("out.d/00000000/00000000");
  make("out.d/00000000/precious");
  EXPECT_EQ(remove_all(path(), {.directories = 1}), 1);
  EXPECT_THAT(there(), ElementsAre("out.d", "out.d/00000000", "out.d/00000000/precious"));
}

TEST_F(Files, MayBeEmptyDirectoriesInDirectories) {
  std::filesystem::create_directories(path("out.d/00000000/00000001"));
  std::filesystem::create_directories(path("out.d/00000000/strange"));
  std::filesystem::create_symlink("elsewhere", path("out.d/00000000/00000002"));
  make("out.d/00000000/00000003/precious");
  EXPECT_EQ(remove_all(path(), {.directories = 1}), 1);
  EXPECT_THAT(there(), ElementsAre("out.d", "out.d/00000000", "out.d/00000000/00000002", "out.d/00000000/00000003",
                                   "out.d/00000000/00000003/precious", "out.d/00000000/strange"));
}

TEST_F(Files, BehindALinkStay) {
  make("victim/00000000/00000000");
  std::filesystem::create_directory_symlink("victim", path("out.d"));
  EXPECT_EQ(remove_all(path(), {.directories = 1}), 0);
  std::filesystem::remove(path("out.d"));

  make("out.d/00000000/00000000");
  std::filesystem::create_directory_symlink(path("victim/00000000"), path("out.d/00000001"));
  EXPECT_EQ(remove_all(path(), {.directories = 2}), 1);
  EXPECT_THAT(there(), ElementsAre("out.d", "out.d/00000001", "victim", "victim/00000000", "victim/00000000/00000000"));
}

TEST_F(Files, ThatAreNotOrdinaryStay) {
  std::filesystem::create_symlink("elsewhere", path());
  std::filesystem::create_directory(path("out.00000000"));
  EXPECT_EQ(remove_all(path(), {.single_file = true, .files = 1}), 0);
  EXPECT_THAT(there(), ElementsAre("out", "out.00000000"));
}

TEST_F(Files, AreSharedOutAmongRanks) {
  for (int i = 0; i < 5; ++i) make(std::filesystem::path(file_name("out", i)));
  EXPECT_EQ(remove_share(path(), {.files = 5}, {.rank = 1, .ranks = 3}), 2);
  EXPECT_THAT(there(), ElementsAre("out.00000000", "out.00000002", "out.00000003"));
}

class SidecarNote : public StorageTest {
 protected:
  Sidecar note_ = own_sidecar({.id = "a \"b\"", .launch = "now"}, {.single_file = true, .files = 3, .directories = 2});
};

TEST_F(SidecarNote, SaysWhoseTheFilesAre) {
  EXPECT_TRUE(create_sidecar(path(), note_));
  const auto found = read_sidecar(path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->run.id, "a \"b\"");
  EXPECT_EQ(found->run.launch, "now");
  EXPECT_EQ(found->host, note_.host);
  EXPECT_EQ(found->pid, ::getpid());
  EXPECT_TRUE(found->layout.single_file);
  EXPECT_EQ(found->layout.files, 3);
  EXPECT_EQ(found->layout.directories, 2);
}

TEST_F(SidecarNote, IsNotThereBeforeItIsMadeNorAfterItIsRemoved) {
  EXPECT_FALSE(read_sidecar(path()));
  create_sidecar(path(), note_);
  EXPECT_TRUE(remove_sidecar(path()));
  EXPECT_FALSE(read_sidecar(path()));
  EXPECT_FALSE(remove_sidecar(path()));
}

TEST_F(SidecarNote, IsNeverMadeOverAnother) {
  EXPECT_TRUE(create_sidecar(path(), note_));
  EXPECT_FALSE(create_sidecar(path(), own_sidecar({.id = "other", .launch = "later"}, {})));
  EXPECT_EQ(read_sidecar(path())->run.id, note_.run.id);
}

TEST_F(SidecarNote, IsReplacedByAnotherOfTheSameRun) {
  create_sidecar(path(), note_);
  replace_sidecar(path(), own_sidecar(note_.run, {.files = 9}));
  EXPECT_EQ(read_sidecar(path())->layout.files, 9);
  EXPECT_FALSE(std::filesystem::exists(path("out.stressbench.new")));
}

TEST_F(SidecarNote, ThatNobodyUnderstandsIsRefused) {
  for (const char* text : {"", "{", "{\"run_id\": 3}", "precious"}) {
    std::ofstream(sidecar_name(path())) << text;
    EXPECT_THROW(read_sidecar(path()), UserMistake);
  }
}

TEST_F(SidecarNote, OfSomebodyElseIsRefused) {
  EXPECT_FALSE(has_foreign_sidecar(path()));
  create_sidecar(path("other"), note_);
  std::filesystem::create_symlink(sidecar_name(path("other")), sidecar_name(path()));
  EXPECT_TRUE(has_foreign_sidecar(path()));
  EXPECT_THROW(read_sidecar(path()), UserMistake);

  EXPECT_FALSE(has_foreign_sidecar(path("other")));
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  ASSERT_EQ(::chown(sidecar_name(path("other")).c_str(), 65534, 65534), 0);
  EXPECT_TRUE(has_foreign_sidecar(path("other")));
  EXPECT_THROW(read_sidecar(path("other")), UserMistake);
}

TEST_F(SidecarNote, ThatCannotBeWrittenLeavesNothing) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  const std::string words = fault_of([&] { create_sidecar(path(), note_); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(words, "write '" + sidecar_name(path()) + "': File too large");
  EXPECT_FALSE(std::filesystem::exists(sidecar_name(path())));
}

TEST_F(SidecarNote, ThatNamesMoreFilesThanAJobHasIsRefused) {
  for (const Layout layout : {Layout{.files = max_files + 1}, Layout{.directories = max_files + 1}}) {
    note_.layout = layout;
    replace_sidecar(path(), note_);
    try {
      (void)read_sidecar(path());
      ADD_FAILURE() << "was not refused";
    } catch (const UserMistake& mistake) {
      EXPECT_THAT(mistake.what(), HasSubstr("16777217 instead of a whole number from 0 to 16777216"));
    }
  }
  note_.layout = {.files = max_files, .directories = max_files};
  replace_sidecar(path(), note_);
  EXPECT_EQ(read_sidecar(path())->layout.files, max_files);
}

TEST_F(SidecarNote, NamesTheFolderThatIsMissing) {
  EXPECT_EQ(fault_of([&] { create_sidecar(path("no/out"), note_); }),
            "open '" + path("no/out.stressbench") + "': No such file or directory");
}

TEST_F(SidecarNote, NamesTheFolderThatIsReadOnly) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  const uid_t user = ::geteuid();
  if (user == 0) {  // root may write to every directory
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string words = fault_of([&] { create_sidecar(path(), note_); });
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
  ::chmod(folder_.c_str(), 0755);
  EXPECT_EQ(words, "open '" + sidecar_name(path()) + "': Permission denied");
}

}  // namespace
}  // namespace stressbench::io
