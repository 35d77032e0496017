// How long a job rests after a repetition, so that it loads the machine only as much as its workload says.
#include <gtest/gtest.h>

#include "scheduler/crew.hpp"

namespace stressbench::scheduler {
namespace {

TEST(Rest, IsNoneUnlessAskedFor) { EXPECT_EQ(Rest{}.after(1000), 0); }

TEST(Rest, MakesWorkTheShareOfTheTimeThatItSays) {
  EXPECT_EQ((Rest{.load = 0.5}.after(1000)), 1000);
  EXPECT_EQ((Rest{.load = 0.1}.after(1000)), 9000);
}

TEST(Rest, FillsAPeriodUnlessTheWorkTookLonger) {
  EXPECT_EQ((Rest{.period_ns = 5000}.after(1000)), 4000);
  EXPECT_EQ((Rest{.period_ns = 5000}.after(6000)), 0);
}

TEST(Rest, IsTheLongerOfBoth) {
  EXPECT_EQ((Rest{.load = 0.5, .period_ns = 5000}.after(1000)), 4000);
  EXPECT_EQ((Rest{.load = 0.5, .period_ns = 5000}.after(4000)), 4000);
}

}  // namespace
}  // namespace stressbench::scheduler
