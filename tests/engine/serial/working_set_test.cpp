// A computation reads its working set in order, within its time. The clock advances by a microsecond per reading.
#include "core/working_set.hpp"

#include <gtest/gtest.h>

namespace stressbench {
namespace {

class Microseconds final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now_ns_ += 1000; }

 private:
  mutable std::int64_t now_ns_ = 0;
};

class WorkingSetTest : public testing::Test {
 protected:
  Microseconds clock_;
  Recorder recorder_{clock_};
};

TEST_F(WorkingSetTest, IsReadFromWhereTheComputationBeforeEnded) {
  WorkingSet set(Bytes{100 * 1024});
  set.read(recorder_, 13'000);  // readings at 1 to 11 us: two microseconds are left for the last part
  EXPECT_EQ(set.position(), 10 * WorkingSet::part_bytes);
  set.read(recorder_, 24'000);  // readings at 12 to 21 us
  EXPECT_EQ(set.position(), 20 * WorkingSet::part_bytes);
}

TEST_F(WorkingSetTest, IsReadAgainAfterItsEnd) {
  WorkingSet set(Bytes{3 * 1024});
  set.read(recorder_, 10'000);  // seven parts
  EXPECT_EQ(set.position(), WorkingSet::part_bytes);
}

TEST_F(WorkingSetTest, IsRoundedUpToWholeParts) {
  EXPECT_EQ(WorkingSet(Bytes{1}).size(), WorkingSet::part_bytes);
  EXPECT_EQ(WorkingSet(Bytes{1025}).size(), 2 * WorkingSet::part_bytes);
}

TEST_F(WorkingSetTest, WithoutAnyNoClockIsRead) {
  WorkingSet set;
  set.read(recorder_, 1'000'000);
  EXPECT_EQ(recorder_.now_ns(), 1000);
}

TEST_F(WorkingSetTest, ShortComputationsReadNothing) {
  WorkingSet set(Bytes{1024});
  set.read(recorder_, 3000);
  EXPECT_EQ(set.position(), 0u);
  EXPECT_EQ(recorder_.now_ns(), 2000);
}

}  // namespace
}  // namespace stressbench
