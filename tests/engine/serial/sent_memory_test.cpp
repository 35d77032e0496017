// What was sent is written again within the time of a computation. The clock advances by a microsecond per reading.
#include "core/sent_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stressbench {
namespace {

class Microseconds final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now_ns_ += 1000; }
  std::int64_t readings() const noexcept { return now_ns_ / 1000; }

 private:
  mutable std::int64_t now_ns_ = 0;
};

class SentMemoryTest : public testing::Test {
 protected:
  std::vector<std::byte> memory_ = std::vector<std::byte>(100'000, std::byte{0x55});
  Microseconds clock_;
  Recorder recorder_{clock_};
  SentMemory sent_;
};

TEST_F(SentMemoryTest, AllIsWrittenIfThereIsTime) {
  sent_.add(memory_);
  sent_.rewrite(recorder_, 0, 1'000'000);
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(clock_.readings(), (100'000 + 1023) / 1024);
  EXPECT_TRUE(std::ranges::all_of(memory_, [](std::byte byte) { return byte == std::byte{0x55}; }));
}

TEST_F(SentMemoryTest, WhatThereIsNoTimeForIsWrittenByTheNextComputation) {
  sent_.add(memory_);
  sent_.rewrite(recorder_, 0, 52'000);  // two microseconds are left for the last part
  EXPECT_EQ(clock_.readings(), 50);
  EXPECT_FALSE(sent_.empty());
  sent_.rewrite(recorder_, 100'000, 1'000'000);
  EXPECT_EQ(clock_.readings(), (100'000 + 1023) / 1024);
  EXPECT_TRUE(sent_.empty());
}

TEST_F(SentMemoryTest, ShortComputationsWriteNothingAndReadNoClock) {
  sent_.add(memory_);
  sent_.rewrite(recorder_, 0, 2000);
  EXPECT_EQ(clock_.readings(), 0);
  EXPECT_FALSE(sent_.empty());
}

TEST_F(SentMemoryTest, TheLongestOfMessagesFromOnePlaceIsWritten) {
  const std::span<std::byte> all = memory_;
  for (const std::size_t length : {64UL, 4096UL, 128UL}) sent_.add(all.first(length));
  sent_.rewrite(recorder_, 0, 1'000'000);
  EXPECT_EQ(clock_.readings(), 4);
}

TEST_F(SentMemoryTest, RemembersABoundedNumberOfMessages) {
  const std::span<std::byte> all = memory_;
  for (int k = 0; k < 10'000; ++k) sent_.add(all.subspan(static_cast<std::size_t>(k % 2) * 64, 64));
  sent_.rewrite(recorder_, 0, 1'000'000);
  EXPECT_EQ(clock_.readings(), 256);
}

TEST_F(SentMemoryTest, NothingIsSentByEmptyMessages) {
  sent_.add({});
  EXPECT_TRUE(sent_.empty());
}

}  // namespace
}  // namespace stressbench
