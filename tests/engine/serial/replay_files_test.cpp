// Scratch files of a replay: their size from the trace, and what keeps them from filling the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "core/signals.hpp"
#include "folder_test.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

trace::Call reading(const char* op, std::int64_t bytes, std::int64_t times, std::int64_t offset = 0) {
  trace::Call call;
  call.op = op;
  call.file = 0;
  call.bytes = bytes;
  call.times = times;
  call.offset = offset;
  return call;
}
RequiredBytes required(const trace::Call& call, std::int64_t view_unit = 1) {
  trace::Call view = reading("File_set_view", 0, 1, 16);
  view.unit = view_unit;
  trace::RankRecord record;
  record.calls = {view, call};
  return required_file_bytes(record);
}

TEST(ReplayFiles, AreAsLongAsTheReadsOfTheTrace) {
  EXPECT_EQ(required(reading("File_read", 100, 3)).individual, 16 + 300);
  EXPECT_EQ(required(reading("File_read_at", 100, 1, 1000), 8).individual, 16 + 8000 + 100);
  EXPECT_EQ(required(reading("File_read_shared", 100, 3)).shared, 300);
  // What is read again and again at an offset, or one after the other from several files, takes no more room.
  EXPECT_EQ(required(reading("File_iread_at_all", 1 << 30, 2000)).individual, 16 + (1 << 30));
  trace::RankRecord record;
  for (const int file : {0, 1}) record.calls.emplace_back(reading("File_read", 100, 3)).file = file;
  EXPECT_EQ(required_file_bytes(record).individual, 300);
}

TEST(ReplayFiles, LargerThanTheLimitAreRefused) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto refused = [](const trace::Call& call, std::int64_t unit, const char* reason) {
    EXPECT_THAT([&] { required(call, unit); }, ThrowsMessage<UserMistake>(HasSubstr(reason)));
  };
  refused(reading("File_read", 1 << 20, 1'000'000'000), 1, "1048576000000016 bytes; at most 1099511627776");
  refused(reading("File_read_shared", 1 << 20, 1'000'000'000), 1, "1048576000000000 bytes; at most 1099511627776");
  refused(reading("File_read", most, 2), 1, "more than 2^63");
  refused(reading("File_read_at", 1, 1, most / 2), 8, "more than 2^63");
  refused(reading("File_read_at", 1, 1, most), 1, "more than 2^63");
  refused(reading("File_read", -1, 1), 1, "reads -1 bytes at offset 0, 1 times");
  refused(reading("File_read_at", 1, 1, -1), 1, "at offset -1");
}

class ScratchFile : public test::FolderTest {};

TEST_F(ScratchFile, ThatDoesNotFitIntoItsFileSystemIsNotWritten) {
  {
    ScratchFiles files;
    EXPECT_THAT([&] { files.create(path(), std::int64_t{1} << 60); },
                ThrowsMessage<UserMistake>(AllOf(HasSubstr("needs 1152921504606846976 bytes"), HasSubstr(" free"))));
    EXPECT_EQ(std::filesystem::file_size(path()), 0u);
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(ScratchFile, IsExtendedByAHoleAtAStopSignal) {
  signals::stop_requested = 1;
  {
    ScratchFiles files;
    files.create(path(), std::int64_t{8} << 20);
    struct stat made {};
    ASSERT_EQ(::stat(path().c_str(), &made), 0);
    EXPECT_EQ(made.st_size, 8 << 20);
    EXPECT_LT(made.st_blocks * 512, 1 << 20);
  }
  signals::stop_requested = 0;
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace stressbench::replay
