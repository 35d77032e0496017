// Limits of the programs that feed mutated files to the readers.
#include "../../fuzz/mutator.hpp"

#include <gtest/gtest.h>

namespace stressbench::fuzz {
namespace {

TEST(Mutator, AProgramThatBlocksEndsAfterThreeTimesItsProcessorTime) {
  const auto limited = [] {
    limit_time(50'000);
    rlimit processor{};
    getrlimit(RLIMIT_CPU, &processor);
    const unsigned left = alarm(0);
    std::exit(processor.rlim_cur == 360 && left > 3 * 360 - 60 && left <= 3 * 360 ? 0 : 1);
  };
  EXPECT_EXIT(limited(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stressbench::fuzz
