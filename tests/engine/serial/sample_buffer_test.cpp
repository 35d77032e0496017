#include "scheduler/sample_buffer.hpp"

#include <gtest/gtest.h>

namespace stressbench::scheduler {
namespace {

void add(SampleBuffer& samples, int count, Phase phase, double value) {
  for (int i = 0; i < count; ++i) {
    samples.next()[0] = value;
    samples.commit(phase);
  }
}

TEST(SampleBuffer, KeepsEveryRepetitionInOrder) {
  SampleBuffer samples{2};
  add(samples, 1, Phase::warmup, 9);
  samples.next()[0] = 1;
  samples.next()[1] = 2;
  samples.commit(Phase::measured);
  ASSERT_EQ(samples.heads().size(), 2U);
  EXPECT_EQ(samples.heads()[1].repetition, 1);
  EXPECT_EQ(samples.heads()[1].phase, Phase::measured);
  EXPECT_EQ(samples.row(1)[0], 1);
  EXPECT_EQ(samples.row(1)[1], 2);
}

TEST(SampleBuffer, ARowStartsAtZero) {
  SampleBuffer samples{1};
  add(samples, 1, Phase::measured, 5);
  EXPECT_EQ(samples.next()[0], 0);
}

TEST(SampleBuffer, MemoryStaysBoundedAndCountsStayWhole) {
  SampleBuffer samples{1, 64};
  add(samples, 100000, Phase::measured, 1);
  EXPECT_LE(samples.heads().size(), 64U);
  EXPECT_GE(samples.heads().size(), 32U);
  EXPECT_EQ(samples.repetitions(Phase::measured), 100000);
  EXPECT_GT(samples.stride(Phase::measured), 1);
}

TEST(SampleBuffer, WhatIsKeptOfTooManyIsEvenlySpaced) {
  SampleBuffer samples{1, 64};
  add(samples, 3, Phase::warmup, 0);
  add(samples, 1000, Phase::measured, 1);
  std::vector<std::int64_t> kept;
  for (const RowHead& head : samples.heads()) {
    if (head.phase == Phase::measured) kept.push_back(head.repetition);
  }
  EXPECT_EQ(kept.front(), 3);
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_EQ(kept[i] - kept[i - 1], samples.stride(Phase::measured));
}

TEST(SampleBuffer, ExtraRepetitionsNeverPushOutMeasuredOnes) {
  SampleBuffer samples{1, 64};
  add(samples, 10, Phase::measured, 1);
  add(samples, 100000, Phase::extra, 2);
  int measured = 0;
  for (std::size_t i = 0; i < samples.heads().size(); ++i) {
    const bool is_measured = samples.heads()[i].phase == Phase::measured;
    EXPECT_EQ(samples.row(i)[0], is_measured ? 1 : 2);
    measured += is_measured ? 1 : 0;
  }
  EXPECT_EQ(measured, 10);
  EXPECT_EQ(samples.stride(Phase::measured), 1);
}

TEST(SampleBuffer, WhatOnlyLoadsTheMachineIsTakenInSamples) {
  SampleBuffer load{2, SampleBuffer::default_capacity, OpenEndedPhases::measured_too};
  add(load, 100000, Phase::measured, 1);
  EXPECT_LE(load.heads().size(), SampleBuffer::sustained_rows);
  EXPECT_EQ(load.repetitions(Phase::measured), 100000);

  SampleBuffer other{2};
  add(other, 10000, Phase::measured, 1);
  add(other, 100000, Phase::extra, 1);
  EXPECT_EQ(other.stride(Phase::measured), 1);
  EXPECT_LE(other.heads().size(), 10000 + SampleBuffer::sustained_rows);
  EXPECT_GE(other.heads().size(), 10000 + SampleBuffer::sustained_rows / 2);
  EXPECT_EQ(other.repetitions(Phase::extra), 100000);
}

}  // namespace
}  // namespace stressbench::scheduler
