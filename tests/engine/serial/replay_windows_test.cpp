// Accesses to windows: which the trace's windows cannot contain, and which have to be compared with each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/windows.hpp"

namespace stressbench::replay {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

trace::Call window(std::int64_t size, std::int64_t unit) {
  trace::Call call;
  call.op = "Win_create";
  call.size = size;
  call.unit = unit;
  return call;
}
WindowLimits limits_of(const std::vector<trace::Call>& calls) {
  trace::RankRecord record;
  record.calls = calls;
  return window_limits_of(record);
}
Access access(MPI_Aint displacement, std::int64_t bytes) {
  Access made;
  made.displacement = displacement;
  made.bytes = bytes;
  return made;
}

TEST(ReplayWindows, OfOneSizeContainWhatEndsWithinThem) {
  const WindowLimits limits = limits_of({window(64, 8), window(64, 8)});
  EXPECT_TRUE(is_within(access(0, 64), limits));
  EXPECT_TRUE(is_within(access(7, 8), limits));
  EXPECT_TRUE(is_within(access(1'000'000, 0), limits));  // nothing is moved
}

TEST(ReplayWindows, OfTwoSizesOrUnitsHaveToBeCompared) {
  EXPECT_FALSE(is_within(access(7, 8), limits_of({window(64, 8), window(0, 8)})));
  EXPECT_FALSE(is_within(access(7, 8), limits_of({window(64, 8), window(64, 64)})));
  EXPECT_TRUE(is_within(access(0, 8), limits_of({window(64, 8), window(8, 64)})));
}

TEST(ReplayWindows, RefuseWhatNoneOfThemContains) {
  const WindowLimits limits = limits_of({window(64, 8), window(8, 1), window(8, 8)});
  const auto refused = [&](MPI_Aint displacement, std::int64_t bytes) {
    EXPECT_THAT([&] { is_within(access(displacement, bytes), limits); },
                ThrowsMessage<UserMistake>(HasSubstr("the largest window has 64 bytes")))
        << displacement;
  };
  refused(-1, 8);
  refused(57, 8);
  refused(0, 65);
  refused(std::numeric_limits<MPI_Aint>::max(), 8);
  refused(std::numeric_limits<MPI_Aint>::min(), 8);
}

}  // namespace
}  // namespace stressbench::replay
