#include "scheduler/step_sample_selection.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stressbench::scheduler {
namespace {

std::vector<RowHead> round_of(int warmup, int measured) {
  std::vector<RowHead> heads;
  for (int i = 0; i < warmup + measured; ++i) {
    heads.push_back({i, i < warmup ? Phase::warmup : Phase::measured});
  }
  return heads;
}

TEST(StepSampleSelection, AChainOfUsualLengthKeepsAll) {
  const auto heads = round_of(1, 100);
  const StepSampleSelection rows{heads, 100, 3};
  EXPECT_EQ(rows.stride(), 1);
  for (std::size_t i = 0; i < heads.size(); ++i) EXPECT_TRUE(rows.is_selected(i));
}

TEST(StepSampleSelection, ALongChainKeepsNoMoreThanItsShare) {
  const auto heads = round_of(1, 64);
  const StepSampleSelection rows{heads, 10'000, 0};
  std::size_t kept = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) kept += rows.is_selected(i) ? 10'000 : 0;
  EXPECT_LE(kept, 2 * StepSampleSelection::max_samples);
  EXPECT_GT(kept, 0U);
}

TEST(StepSampleSelection, OverTheBlocksEachRepetitionIsKeptAsOften) {
  const auto heads = round_of(1, 8);
  std::vector<int> kept(heads.size());
  for (int block = 0; block < 64; ++block) {
    const StepSampleSelection rows{heads, 10'000, block};
    for (std::size_t i = 1; i < heads.size(); ++i) kept[i] += rows.is_selected(i) ? 1 : 0;
  }
  for (std::size_t i = 2; i < heads.size(); ++i) EXPECT_EQ(kept[i], kept[1]);
  EXPECT_GT(kept[1], 0);
}

TEST(StepSampleSelection, ARoundOfOneRepetitionKeepsIt) {
  const StepSampleSelection rows{round_of(0, 1), 1'000'000, 7};
  EXPECT_EQ(rows.stride(), 1);
  EXPECT_TRUE(rows.is_selected(0));
}

}  // namespace
}  // namespace stressbench::scheduler
