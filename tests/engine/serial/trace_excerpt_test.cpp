// A part of the sequence of a trace, with the computation before each call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "trace/excerpt.hpp"

namespace stressbench::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

Gap gap(int before, int after, std::int64_t times, double sum_s) {
  const double mean_s = sum_s / static_cast<double>(times);
  return {before, after, times, sum_s, mean_s, mean_s, {{3, times}}};
}

// Ten iterations of three calls.
RankRecord three_calls() {
  RankRecord record;
  record.rank = 5;
  record.calls.resize(3);
  record.rules = {{{-1, 10}}, {{0, 1}, {1, 1}, {2, 1}}};
  record.sequence_calls = 30;
  record.gaps = {gap(0, 1, 10, 1e-6), gap(1, 2, 10, 2e-6), gap(2, 0, 9, 9e-7), gap(-1, 0, 1, 1e-8)};
  record.tail_s = 3e-7;
  return record;
}

// The pairs of calls and their times, for each call of the excerpt.
std::vector<double> sums_of(const Excerpt& excerpt) {
  std::vector<double> sums;
  for (const int index : excerpt.gap_indices()) sums.push_back(excerpt.gaps()[static_cast<std::size_t>(index)].sum_s);
  return sums;
}

TEST(Excerpt, HasTheGapBeforeEachCall) {
  const Excerpt excerpt(three_calls(), 1, 2);
  EXPECT_THAT(excerpt.calls(), ElementsAre(1, 2));
  EXPECT_THAT(sums_of(excerpt), ElementsAre(1e-6, 2e-6));
}

TEST(Excerpt, ClosesTheSequenceToACircle) {
  const Excerpt excerpt(three_calls(), 0, 1);
  const Gap& around = excerpt.gaps()[0];
  EXPECT_EQ(around.before, 2);
  EXPECT_EQ(around.after, 0);
  EXPECT_EQ(around.times, 10);
  EXPECT_DOUBLE_EQ(around.sum_s, 9e-7 + 1e-8 + 3e-7);
  EXPECT_DOUBLE_EQ(around.min_s, 1e-7);
  EXPECT_DOUBLE_EQ(around.max_s, 3.1e-7);
  EXPECT_THAT(around.buckets, ElementsAre(Pair(3, 9), Pair(5, 1)));  // 310 ns is in [256, 362) ns
}

TEST(Excerpt, HasTheSameTimesBetweenTheSameCallsEverywhere) {
  const Excerpt excerpt(three_calls(), 0, 7);
  EXPECT_THAT(excerpt.calls(), ElementsAre(0, 1, 2, 0, 1, 2, 0));
  EXPECT_THAT(excerpt.gap_indices(), ElementsAre(0, 1, 2, 0, 1, 2, 0));
  EXPECT_EQ(excerpt.gaps().size(), 3u);
}

TEST(Excerpt, OfOneIterationHasItsEndsBeforeItsFirstCall) {
  RankRecord record = three_calls();
  record.rules[0][0].times = 1;
  record.sequence_calls = 3;
  record.gaps = {gap(0, 1, 1, 1e-6), gap(1, 2, 1, 2e-6), gap(-1, 0, 1, 1e-8)};
  const Excerpt excerpt(record, 0, 3);
  EXPECT_THAT(sums_of(excerpt), ElementsAre(testing::DoubleEq(1e-8 + 3e-7), 1e-6, 2e-6));
}

TEST(Excerpt, OfOneRepeatedCallHasAllItsTimes) {
  RankRecord record;
  record.calls.resize(1);
  record.rules = {{{0, 4}}};
  record.sequence_calls = 4;
  record.gaps = {gap(0, 0, 3, 3e-6), gap(-1, 0, 1, 5e-6)};
  const Excerpt excerpt(record, 0, 4);
  EXPECT_THAT(excerpt.gap_indices(), ElementsAre(0, 0, 0, 0));
  EXPECT_DOUBLE_EQ(excerpt.gaps()[0].sum_s, 8e-6);
  EXPECT_EQ(excerpt.gaps()[0].times, 4);
}

TEST(Excerpt, OfNoCallsIsEmpty) { EXPECT_THAT(Excerpt(three_calls(), 30, 0).calls(), ElementsAre()); }

TEST(Excerpt, OfALongSequenceVisitsItsCallsOnly) {
  RankRecord record = three_calls();
  record.rules[0][0].times = 1'000'000'000'000'000'000;
  record.sequence_calls = 3'000'000'000'000'000'000;
  EXPECT_THAT(Excerpt(record, 2, 2).calls(), ElementsAre(2, 0));
}

TEST(Excerpt, RefusesASequenceThatIsTooShort) {
  EXPECT_THAT(
      [] { Excerpt(three_calls(), 25, 6); },
      ThrowsMessage<UserMistake>("rank 5: the sequence has 30 calls, counted from 0; calls 25 to 30 are needed"));
  EXPECT_THAT([] { Excerpt(three_calls(), 30, 1); }, ThrowsMessage<UserMistake>(HasSubstr("0; call 30 is needed")));
}

TEST(Excerpt, RefusesATraceThatLostTheTime) {
  RankRecord record = three_calls();
  record.gaps.erase(record.gaps.begin() + 1);
  EXPECT_THAT([&] { Excerpt(record, 0, 3); },
              ThrowsMessage<UserMistake>(
                  "rank 5: the trace has no time before call 2: there were too many different pairs of calls"));
  EXPECT_NO_THROW(Excerpt(record, 0, 2));
}

TEST(Excerpt, RefusesTimesThatNoTraceHolds) {
  RankRecord record = three_calls();
  record.gaps[0].times = 0;
  EXPECT_THAT([&] { Excerpt(record, 0, 3); }, ThrowsMessage<UserMistake>(HasSubstr("rank 5: a gap of 0 times")));
}

}  // namespace
}  // namespace stressbench::trace
