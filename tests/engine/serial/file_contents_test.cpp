// The data that b_eff_io writes, and which wrong bytes are found in the data that it reads.
#include "suites/b_eff_io/file_contents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stressbench::beff {
namespace {

constexpr std::size_t length = 64;
constexpr FileContents::Call call{7, 3};

class FileContentsTest : public testing::Test {
 protected:
  FileContentsTest() { contents_.allocate(2, length); }

  // Reads what `call` wrote, with byte `changed` of it inverted.
  void read(std::optional<std::size_t> changed, FileContents::Call reading = call, std::size_t bytes = length) {
    const auto written = contents_.written_by(call, bytes);
    const std::vector<std::byte> file(written.begin(), written.end());
    const auto destination = contents_.destination(bytes);
    std::ranges::copy(file, destination.begin());
    if (changed) destination[*changed] = ~destination[*changed];
    contents_.check(reading, destination, "out", recorder_);
  }

  FileContents contents_;
  MonotonicClock clock_;
  Recorder recorder_{clock_};
};

TEST_F(FileContentsTest, AreAcceptedAsWritten) {
  contents_.check_all_bytes();
  EXPECT_FALSE(contents_.has_read());
  read(std::nullopt);
  EXPECT_TRUE(contents_.has_read());
  EXPECT_EQ(contents_.fault(), std::nullopt);
}

TEST_F(FileContentsTest, HaveTheirFirstAndLastBytesChecked) {
  read(30);
  EXPECT_EQ(contents_.fault(), std::nullopt) << "only with check_all_bytes";
  read(length - 1);
  EXPECT_EQ(contents_.fault(), "b_eff_io: 'out': pattern 7, call 3: byte 63 is not what rank 2 wrote there");
  contents_.start();
  read(5);
  EXPECT_THAT(contents_.fault().value_or(""), testing::HasSubstr("byte 0 is not"));
}

TEST_F(FileContentsTest, OfShortCallsAreTheMarkAndWhatFollowsIt) {
  for (const std::size_t bytes : {8U, 12U}) {
    read(std::nullopt, call, bytes);
    EXPECT_EQ(contents_.fault(), std::nullopt) << "of " << bytes;
    read(bytes - 1, call, bytes);
    EXPECT_NE(contents_.fault(), std::nullopt) << "of " << bytes;
    contents_.start();
  }
}

TEST_F(FileContentsTest, HaveEveryByteCheckedOnRequest) {
  contents_.check_all_bytes();
  read(30);
  EXPECT_THAT(contents_.fault().value_or(""), testing::HasSubstr("byte 30 is not"));
}

TEST_F(FileContentsTest, OfAnotherCallAreWrong) {
  read(std::nullopt, {7, 4});
  EXPECT_THAT(contents_.fault().value_or(""), testing::HasSubstr("call 4: byte 0 is not"));
}

TEST_F(FileContentsTest, ADestinationHoldsNoneOfTheBytesThatAreChecked) {
  contents_.check_all_bytes();
  read(std::nullopt);
  ASSERT_EQ(contents_.fault(), std::nullopt);
  contents_.check(call, contents_.destination(length), "out", recorder_);
  EXPECT_NE(contents_.fault(), std::nullopt) << "a second read that moves nothing";
}

}  // namespace
}  // namespace stressbench::beff
