// The sequence of a replay: rules that are never expanded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "trace/program.hpp"

namespace stressbench::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> walked(Program& program) {
  std::vector<int> calls;
  program.walk([&](int call) { calls.push_back(call); });
  return calls;
}

std::string rejection(const std::vector<Rule>& rules, std::size_t calls, std::int64_t length) {
  try {
    const Program program(rules, calls, length);
  } catch (const UserMistake& mistake) {
    return mistake.what();
  }
  return "";
}

TEST(TraceProgram, WalksRulesInTheirOrderAsOftenAsTheySay) {
  Program program({{{0, 1}, {-1, 2}, {3, 1}, {-2, 1}}, {{1, 2}, {-2, 3}}, {{2, 1}}}, 4, 13);
  EXPECT_THAT(walked(program), ElementsAre(0, 1, 1, 2, 2, 2, 1, 1, 2, 2, 2, 3, 2));
}

TEST(TraceProgram, WalksTheSameAgain) {
  Program program({{{-1, 2}}, {{0, 1}, {-2, 2}}, {{1, 1}, {0, 1}}}, 2, 10);
  const auto first = walked(program);
  EXPECT_EQ(walked(program), first);
}

TEST(TraceProgram, OfNoCallsIsEmpty) {
  Program program({{}}, 0, 0);
  EXPECT_THAT(walked(program), ElementsAre());
  Program nothing({}, 0, 0);
  EXPECT_THAT(walked(nothing), ElementsAre());
}

TEST(TraceProgram, AMillionRepetitionsAreCountedNotKept) {
  Program program({{{-1, 1'000'000}}, {{0, 1}, {1, 1}}}, 2, 2'000'000);
  std::int64_t sum = 0;
  program.walk([&](int call) { sum += call + 1; });
  EXPECT_EQ(sum, 3'000'000);
  EXPECT_EQ(program.depth(), 2u);
}

TEST(TraceProgram, EndsItsWalkWhereAVisitWantsNoMore) {
  Program program({{{-1, 1'000'000'000'000}}, {{0, 1}, {1, 2}}}, 2, 3'000'000'000'000);
  std::vector<int> calls;
  program.walk([&](int call) {
    calls.push_back(call);
    return calls.size() < 5;
  });
  EXPECT_THAT(calls, ElementsAre(0, 1, 1, 0, 1));
}

TEST(TraceProgram, KnowsItsLastCall) {
  EXPECT_EQ(Program({{{0, 3}, {-1, 2}, {-2, 5}}, {{1, 1}, {2, 1}}, {}}, 3, 7).last_call(), 2);
  EXPECT_EQ(Program({{}}, 0, 0).last_call(), -1);
}

// Neither takes time, however often it is repeated and however long the chain is.
TEST(TraceProgram, PassesOverRulesThatMakeNoCallOrOnlyContainAnother) {
  std::vector<Rule> rules{{{-1, 1'000'000'000'000'000'000}, {-2, 100'000}}, {}};
  for (int rule = 3; rule < 50'000; ++rule) rules.push_back({{-rule, 1}});
  rules.push_back({{0, 1}});
  Program program(rules, 1, 100'000);
  std::int64_t calls = 0;
  program.walk([&](int) { ++calls; });
  EXPECT_EQ(calls, 100'000);
}

// 10^18 calls would fill any memory.
TEST(TraceProgram, LoopsInLoopsTakeMemoryByTheirDepthOnly) {
  const Program program({{{-1, 1'000'000}}, {{-2, 1'000'000}}, {{0, 1'000'000}}}, 1, 1'000'000'000'000'000'000);
  EXPECT_EQ(program.depth(), 3u);
}

TEST(TraceProgram, RefusesRulesThatMakeNoSequence) {
  EXPECT_THAT(rejection({{{2, 1}}}, 2, 1), HasSubstr("rule 0 names 2, which does not exist"));
  EXPECT_THAT(rejection({{{-1, 1}}}, 2, 1), HasSubstr("rule 0 names -1, which does not exist"));
  EXPECT_THAT(rejection({{{-9'000'000'000, 1}}}, 2, 1), HasSubstr("which does not exist"));
  EXPECT_THAT(rejection({{{0, 0}}}, 2, 0), HasSubstr("rule 0 repeats something 0 times"));
  EXPECT_THAT(rejection({{{-1, 1}}, {{-2, 1}}, {{-1, 1}}}, 2, 1), HasSubstr("rule 1 contains itself"));
  EXPECT_THAT(rejection({{{0, 2}, {-1, 3}}, {{1, 2}}}, 2, 7),
              HasSubstr("the rules make 8 calls, but sequence_calls is 7"));
  EXPECT_THAT(rejection({{{-1, 1L << 62}}, {{0, 4}}}, 1, 0), HasSubstr("longer than 2^63"));
}

}  // namespace
}  // namespace stressbench::trace
