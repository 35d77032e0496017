// Pauses of a job after its repetitions, which limit its load on the machine to that of the workload.
#include <gtest/gtest.h>

#include "scheduler/job_round.hpp"

namespace stressbench::scheduler {
namespace {

TEST(Throttle, IsNoneUnlessAskedFor) { EXPECT_EQ(Throttle{}.pause_after(1000), 0); }

TEST(Throttle, MakesWorkTheShareOfTheTimeThatItSays) {
  EXPECT_EQ((Throttle{.load = 0.5}.pause_after(1000)), 1000);
  EXPECT_EQ((Throttle{.load = 0.1}.pause_after(1000)), 9000);
}

TEST(Throttle, FillsAPeriodUnlessTheWorkTookLonger) {
  EXPECT_EQ((Throttle{.period_ns = 5000}.pause_after(1000)), 4000);
  EXPECT_EQ((Throttle{.period_ns = 5000}.pause_after(6000)), 0);
}

TEST(Throttle, IsTheLongerOfBoth) {
  EXPECT_EQ((Throttle{.load = 0.5, .period_ns = 5000}.pause_after(1000)), 4000);
  EXPECT_EQ((Throttle{.load = 0.5, .period_ns = 5000}.pause_after(4000)), 4000);
}

TEST(Throttle, HasThePeriodInWhichTheTrafficPerRankIsTheRate) {
  workload::MotifCall call;
  call.name = "pingpong";
  call.options.resize(2);
  call.options[0].name = "size";
  call.options[0].value = "1000";
  call.options[1].name = "iterations";
  call.options[1].value = "5";
  workload::Loop loop;
  loop.count = 3;
  loop.steps = {call};
  workload::Job job;
  job.steps = {loop};
  // 3 x 5 iterations, in each of which both of the 2 ranks send 1000 bytes.
  EXPECT_EQ(Throttle::period_for(Chain{job, 0}, 2, Bytes{1'000'000}), 15'000'000);
}

}  // namespace
}  // namespace stressbench::scheduler
