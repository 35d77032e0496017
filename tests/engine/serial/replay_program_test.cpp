// The sequence of a replay: rules that are never expanded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "replay/program.hpp"

namespace stressbench::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> walked(Program& program) {
  std::vector<int> calls;
  program.walk([&](int call) { calls.push_back(call); });
  return calls;
}

std::string rejection(const std::vector<trace::Rule>& rules, std::size_t calls, std::int64_t length) {
  try {
    const Program program(rules, calls, length);
  } catch (const UserMistake& mistake) {
    return mistake.what();
  }
  return "";
}

TEST(ReplayProgram, WalksRulesInTheirOrderAsOftenAsTheySay) {
  Program program({{{0, 1}, {-1, 2}, {3, 1}, {-2, 1}}, {{1, 2}, {-2, 3}}, {{2, 1}}}, 4, 13);
  EXPECT_THAT(walked(program), ElementsAre(0, 1, 1, 2, 2, 2, 1, 1, 2, 2, 2, 3, 2));
}

TEST(ReplayProgram, WalksTheSameAgain) {
  Program program({{{-1, 2}}, {{0, 1}, {-2, 2}}, {{1, 1}, {0, 1}}}, 2, 10);
  const auto first = walked(program);
  EXPECT_EQ(walked(program), first);
}

TEST(ReplayProgram, OfNoCallsIsEmpty) {
  Program program({{}}, 0, 0);
  EXPECT_THAT(walked(program), ElementsAre());
  Program nothing({}, 0, 0);
  EXPECT_THAT(walked(nothing), ElementsAre());
}

TEST(ReplayProgram, AMillionRepetitionsAreCountedNotKept) {
  Program program({{{-1, 1'000'000}}, {{0, 1}, {1, 1}}}, 2, 2'000'000);
  std::int64_t sum = 0;
  program.walk([&](int call) { sum += call + 1; });
  EXPECT_EQ(sum, 3'000'000);
  EXPECT_EQ(program.depth(), 2u);
}

// 10^18 calls would fill any memory.
TEST(ReplayProgram, LoopsInLoopsTakeMemoryByTheirDepthOnly) {
  const Program program({{{-1, 1'000'000}}, {{-2, 1'000'000}}, {{0, 1'000'000}}}, 1, 1'000'000'000'000'000'000);
  EXPECT_EQ(program.depth(), 3u);
}

TEST(ReplayProgram, RefusesRulesThatMakeNoSequence) {
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
}  // namespace stressbench::replay
