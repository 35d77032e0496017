#include "output/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/error.hpp"
#include "folder_test.hpp"
#include "io/descriptor.hpp"

namespace stressbench::output {
namespace {

namespace fs = std::filesystem;

class ResultFileTest : public test::FolderTest {
 protected:
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::string rejection(const std::string& path, const std::vector<std::string>& inputs = {}) const {
    try {
      const ResultFile file("--output", path, inputs);
    } catch (const UserMistake& mistake) {
      return mistake.what();
    }
    return "";
  }
  // The path of a file in the test's directory by way of the root directory of this process.
  std::string path_in_proc(const std::string& name) const { return "/proc/self/root" + path(name); }
  long files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
};

TEST_F(ResultFileTest, IsNewOrTakesThePlaceOfAnother) {
  ResultFile("--output", path("new"), {}).write("one\n");
  EXPECT_EQ(text_of(path("new")), "one\n");
  ASSERT_EQ(::chmod(path("new").c_str(), 0640), 0);

  ResultFile("--output", path("new"), {}).write("two\n");
  EXPECT_EQ(text_of(path("new")), "two\n");
  EXPECT_EQ(fs::status(path("new")).permissions(), fs::perms{0640});
  EXPECT_EQ(files(), 1);
}

TEST_F(ResultFileTest, ALinkStaysAndTheFileBehindItIsReplaced) {
  put("file", "before");
  fs::create_symlink("file", path("link"));

  ResultFile("--output", path("link"), {}).write("after");

  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("file")), "after");
}

TEST_F(ResultFileTest, NeverTakesThePlaceOfWhatIsRead) {
  const std::string trace = put("a.trace", "kept");
  fs::create_hard_link(trace, path("other"));
  fs::create_symlink(trace, path("link"));

  for (const std::string& output : {trace, path("other"), path("link"), path("./a.trace")}) {
    EXPECT_EQ(rejection(output, {"-i", trace, ""}),
              "--output: '" + output + "' is a file that this command reads; choose another name");
  }
  EXPECT_EQ(text_of(trace), "kept");
}

TEST_F(ResultFileTest, NeverTakesThePlaceOfWhatTheMotifWillWrite) {
  for (const std::string& output : {path("m.csv"), path("./m.csv")}) {
    EXPECT_EQ(rejection(output, {"--matrix", path("m.csv")}),
              "--output: '" + output + "' is the file of another option; choose another name");
  }
  EXPECT_EQ(rejection(path("m.txt"), {"--matrix", path("m.csv"), ""}), "");
}

TEST_F(ResultFileTest, NeverTakesThePlaceOfAFileOfAStudy) {
  put("manifest.jsonl", "{}");
  fs::create_directories(path("runs/deep"));
  fs::create_directory(path("workloads"));
  put("runs/r-1.jsonl", "{}");
  fs::create_symlink("runs/r-1.jsonl", path("link"));
  for (const char* name : {"manifest.jsonl", "launches.jsonl", "environment.json", ".lock", "SHA256SUMS",
                           "study-1.toml", "study-12.json", ".manifest.jsonl.new", "runs/r-1.jsonl", "runs/r-2.jsonl",
                           "runs/deep/r.jsonl", "workloads/a.sb", "link", "runs/../manifest.jsonl"}) {
    EXPECT_EQ(rejection(path(name)),
              "--output: '" + path(name) +
                  "' is a file of a study, which only `stressbench study` writes; choose another "
                  "name");
  }
  for (const char* name : {"report.txt", "study-1.txt", "study-x.toml", "runs/notes.txt", "new"}) {
    EXPECT_EQ(rejection(path(name)), "") << name;
  }
  fs::remove(path("manifest.jsonl"));
  EXPECT_EQ(rejection(path("runs/r-1.jsonl")), "");
}

TEST_F(ResultFileTest, IsNotFoundByALinkOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  put("file", "before");
  fs::create_symlink("file", path("theirs"));
  fs::create_symlink("theirs", path("link"));
  ASSERT_EQ(::lchown(path("theirs").c_str(), 65534, 65534), 0);
  for (const char* name : {"theirs", "link"}) {
    EXPECT_EQ(rejection(path(name)),
              "--output: '" + path(name) + "' is a symbolic link that user 65534 made; name the file itself");
  }
}

TEST_F(ResultFileTest, IsNotFoundByALinkOfSomebodyElseInAFolderOfProc) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  put("file", "before");
  fs::create_symlink("file", path("theirs"));
  ASSERT_EQ(::lchown(path("theirs").c_str(), 65534, 65534), 0);
  fs::create_symlink(path_in_proc("theirs"), path("link"));

  for (const std::string& output : {path_in_proc("theirs"), path("link")}) {
    EXPECT_EQ(rejection(output),
              "--output: '" + output + "' is a symbolic link that user 65534 made; name the file itself");
  }
}

TEST_F(ResultFileTest, FilesInAFolderOfProcAreReplaced) {
  put("file", "first and long");
  fs::create_symlink(path_in_proc("file"), path("link"));
  const io::Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));

  for (const std::string& output : {path_in_proc("file"), path_in_proc("link"), path("link"),
                                    fmt::format("/proc/self/fd/{}/file", folder.number())}) {
    const std::string text = "by " + output;
    ResultFile("--output", output, {}).write(text);
    EXPECT_EQ(text_of(path("file")), text);
    EXPECT_EQ(rejection(output, {path("file")}),
              "--output: '" + output + "' is a file that this command reads; choose another name");
  }
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 2);
}

TEST_F(ResultFileTest, AnOpenFileNamedByItsDescriptorIsExtended) {
  const io::Descriptor log(::open(put("log", "kept").c_str(), O_RDWR | O_CLOEXEC));
  const std::string number = std::to_string(log.number());
  fs::create_symlink("/dev/fd/" + number, path("link"));

  for (const std::string& output : {"/dev/fd/" + number, "/proc/self/fd/" + number, "/proc/thread-self/fd/" + number,
                                    fmt::format("/proc/{}/fd/{}", ::getpid(), number), path("link")}) {
    ResultFile("--output", output, {}).write("+");
    EXPECT_EQ(rejection(output, {path("log")}),
              "--output: '" + output + "' is a file that this command reads; choose another name");
  }
  EXPECT_EQ(text_of(path("log")), "kept+++++");
  EXPECT_EQ(files(), 2);
}

TEST_F(ResultFileTest, APipeNamedByItsDescriptorIsWrittenTo) {
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const io::Descriptor reader(ends[0]);
  const io::Descriptor writer(ends[1]);

  ResultFile("--output", fmt::format("/dev/fd/{}", writer.number()), {}).write("text");

  char text[10] = {};
  EXPECT_EQ(::read(reader.number(), text, sizeof text), 4);
  EXPECT_STREQ(text, "text");
}

TEST_F(ResultFileTest, SaysBeforehandThatItCannotBeWritten) {
  fs::create_symlink("nowhere", path("link"));

  EXPECT_EQ(rejection(folder_.string()),
            "--output: '" + folder_.string() + "' is a directory; expected the name of a file");
  EXPECT_EQ(rejection(path("link")),
            "--output: '" + path("link") + "' is a symbolic link to a missing file; give the name of the file itself");
  EXPECT_EQ(rejection(path("no/file")),
            "--output: '" + path("no/file") + "' cannot be written: No such file or directory");
}

TEST_F(ResultFileTest, ADeviceIsWrittenToAsItStands) {
  ResultFile("--output", "/dev/null", {}).write("gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  const ResultFile full("--output", "/dev/full", {});
  EXPECT_THROW(full.write("text"), MachineFault);
}

TEST_F(ResultFileTest, LeavesTheOldFileWhereTheNewOneCannotBeMade) {
  put("sub", "");
  fs::remove(path("sub"));
  fs::create_directory(path("sub"));
  const std::string old = put("sub/file", "old");
  const ResultFile file("--output", old, {});
  fs::rename(path("sub"), path("moved"));

  EXPECT_THROW(file.write("new"), MachineFault);
  EXPECT_EQ(text_of(path("moved/file")), "old");
}

}  // namespace
}  // namespace stressbench::output
