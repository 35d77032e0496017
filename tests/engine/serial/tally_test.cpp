#include "scheduler/tally.hpp"

#include <gtest/gtest.h>

namespace stressbench::scheduler {
namespace {

void add(Tally& tally, int count, Phase phase, double value) {
  for (int i = 0; i < count; ++i) {
    tally.next()[0] = value;
    tally.commit(phase);
  }
}

TEST(Tally, KeepsEveryRepetitionInOrder) {
  Tally tally{2};
  add(tally, 1, Phase::warmup, 9);
  tally.next()[0] = 1;
  tally.next()[1] = 2;
  tally.commit(Phase::measured);
  ASSERT_EQ(tally.heads().size(), 2U);
  EXPECT_EQ(tally.heads()[1].repetition, 1);
  EXPECT_EQ(tally.heads()[1].phase, Phase::measured);
  EXPECT_EQ(tally.row(1)[0], 1);
  EXPECT_EQ(tally.row(1)[1], 2);
}

TEST(Tally, ARowStartsAtZero) {
  Tally tally{1};
  add(tally, 1, Phase::measured, 5);
  EXPECT_EQ(tally.next()[0], 0);
}

TEST(Tally, MemoryStaysBoundedAndCountsStayWhole) {
  Tally tally{1, 64};
  add(tally, 100000, Phase::measured, 1);
  EXPECT_LE(tally.heads().size(), 64U);
  EXPECT_GE(tally.heads().size(), 32U);
  EXPECT_EQ(tally.repetitions(Phase::measured), 100000);
  EXPECT_GT(tally.stride(Phase::measured), 1);
}

TEST(Tally, WhatIsKeptOfTooManyIsEvenlySpaced) {
  Tally tally{1, 64};
  add(tally, 3, Phase::warmup, 0);
  add(tally, 1000, Phase::measured, 1);
  std::vector<std::int64_t> kept;
  for (const RowHead& head : tally.heads()) {
    if (head.phase == Phase::measured) kept.push_back(head.repetition);
  }
  EXPECT_EQ(kept.front(), 3);
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_EQ(kept[i] - kept[i - 1], tally.stride(Phase::measured));
}

TEST(Tally, ExtraRepetitionsNeverPushOutMeasuredOnes) {
  Tally tally{1, 64};
  add(tally, 10, Phase::measured, 1);
  add(tally, 100000, Phase::extra, 2);
  int measured = 0;
  for (std::size_t i = 0; i < tally.heads().size(); ++i) {
    const bool is_measured = tally.heads()[i].phase == Phase::measured;
    EXPECT_EQ(tally.row(i)[0], is_measured ? 1 : 2);
    measured += is_measured ? 1 : 0;
  }
  EXPECT_EQ(measured, 10);
  EXPECT_EQ(tally.stride(Phase::measured), 1);
}

TEST(Tally, WhatOnlyLoadsTheMachineIsTakenInSamples) {
  Tally load{2, Tally::default_capacity, Sustained::measured_too};
  add(load, 100000, Phase::measured, 1);
  EXPECT_LE(load.heads().size(), Tally::sustained_rows);
  EXPECT_EQ(load.repetitions(Phase::measured), 100000);

  Tally other{2};
  add(other, 10000, Phase::measured, 1);
  add(other, 100000, Phase::extra, 1);
  EXPECT_EQ(other.stride(Phase::measured), 1);
  EXPECT_LE(other.heads().size(), 10000 + Tally::sustained_rows);
  EXPECT_GE(other.heads().size(), 10000 + Tally::sustained_rows / 2);
  EXPECT_EQ(other.repetitions(Phase::extra), 100000);
}

}  // namespace
}  // namespace stressbench::scheduler
