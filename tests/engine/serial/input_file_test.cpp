// Input files named by the user: what is read, and where reading ends.
#include "core/input_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "folder_test.hpp"

namespace stressbench {
namespace {

using testing::HasSubstr;

class InputFiles : public test::FolderTest {
 protected:
  std::string file(const std::string& text) const { return put("file", text); }
  static std::string rejection(const std::string& path, std::int64_t most = 1000) {
    try {
      (void)read_file(path, most);
    } catch (const UserMistake& mistake) {
      return mistake.what();
    }
    return "";
  }
};

TEST_F(InputFiles, AreReadWhole) {
  const std::string bytes("a\0b\r\n\xFF", 6);
  EXPECT_EQ(read_file(file(bytes), 6), bytes);
  EXPECT_EQ(read_file(file(""), 0), "");
}

TEST_F(InputFiles, LargerThanTheLimitAreRefusedBeforeTheyAreRead) {
  const std::string path = file("{");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);
  EXPECT_EQ(rejection(path, 64 << 10), "cannot read '" + path + "': it is larger than 64 KiB");
  EXPECT_EQ(rejection(file("1234567"), 6), "cannot read '" + path + "': it is larger than 6 bytes");
}

TEST_F(InputFiles, ThatAreNotRegularAreRefusedWithTheirKind) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(rejection(pipe), "cannot read '" + pipe + "': it is a pipe; only regular files can be read");
  EXPECT_EQ(rejection("/dev/zero"), "cannot read '/dev/zero': it is a device; only regular files can be read");
  EXPECT_EQ(rejection(folder_),
            "cannot read '" + folder_.string() + "': it is a directory; only regular files can be read");
  EXPECT_EQ(rejection(folder_ / "gone"), "cannot read '" + (folder_ / "gone").string() + "': there is no such file");
}

// Files in /proc claim to be regular and empty, whatever they contain.
TEST_F(InputFiles, OfTheKernelAreReadWithinTheLimit) {
  EXPECT_THAT(rejection("/proc/self/mem"), HasSubstr("cannot read '/proc/self/mem': Input/output error"));
  EXPECT_THAT(rejection("/proc/self/maps", 16), HasSubstr("it is larger than 16 bytes"));
}

TEST_F(InputFiles, GiveTheirLines) {
  InputFile input(file("one\n\ntwo\nhalf"), 1000);
  EXPECT_EQ(input.next_line()->text, "one");
  EXPECT_EQ(input.next_line()->text, "");
  const auto two = input.next_line();
  EXPECT_EQ(two->text, "two");
  EXPECT_TRUE(two->complete);
  const auto half = input.next_line();
  EXPECT_EQ(half->text, "half");
  EXPECT_FALSE(half->complete);
  EXPECT_FALSE(input.next_line());
}

TEST_F(InputFiles, GiveLinesThatAreLongerThanAPieceOfReading) {
  const std::string line(1'000'000, 'x');
  InputFile input(file(line + "\n" + line + "\nend\n"), 10'000'000);
  EXPECT_EQ(input.next_line()->text, line);
  EXPECT_EQ(input.next_line()->text, line);
  EXPECT_EQ(input.next_line()->text, "end");
  EXPECT_FALSE(input.next_line());
}

TEST_F(InputFiles, GiveNoLineThatIsLongerThanTheLimit) {
  const std::string path = file("first\n");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 31U);
  InputFile input(path, input_limits::max_trace_file_bytes);
  EXPECT_EQ(input.next_line()->text, "first");
  try {
    (void)input.next_line();
    FAIL();
  } catch (const UserMistake& mistake) {
    EXPECT_EQ(mistake.what(), "'" + path + "', line 2: is longer than 32 MiB");
  }
}

}  // namespace
}  // namespace stressbench
