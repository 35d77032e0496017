// Polling: which part of the time of unsuccessful tests is computation.
#include "polling.hpp"

#include <gtest/gtest.h>

namespace stressbench::trace {
namespace {

constexpr std::uint16_t testall = 1;
constexpr std::uint16_t iprobe = 2;
constexpr std::uint16_t waitall = 3;
const int here = 0;
const int there = 0;

TEST(PollingTime, tests_before_a_successful_one_are_waiting) {
  Polling polling;
  polling.add(testall, &here, 700, 100);
  polling.add(testall, &here, 300, 100);
  EXPECT_EQ(polling.not_computed_ns(testall, &here), 1200);
}

TEST(PollingTime, tests_before_another_call_are_computation_up_to_a_limit) {
  Polling polling;
  polling.add(testall, &here, 700, 100);
  polling.add(testall, &here, 150'000, 100);  // gave its core away
  EXPECT_EQ(polling.not_computed_ns(waitall, &there), 148'200);
  EXPECT_EQ(polling.not_computed_ns(testall, &there), 148'200) << "a test of other messages";
  EXPECT_EQ(polling.not_computed_ns(), 148'200) << "before the program ends";
}

TEST(PollingTime, earlier_tests_of_other_calls_are_computation_up_to_that_limit) {
  Polling polling;
  polling.add(testall, &here, 5000, 100);
  polling.add(iprobe, &there, 700, 100);
  polling.add(iprobe, &there, 800, 100);
  EXPECT_EQ(polling.not_computed_ns(iprobe, &there), 300 + 3000 + 1500);
  EXPECT_EQ(polling.not_computed_ns(waitall, &here), 300 + 3000);
}

TEST(PollingTime, without_tests_all_time_is_computation) {
  EXPECT_EQ(Polling().not_computed_ns(waitall, &here), 0);
  EXPECT_EQ(Polling().not_computed_ns(), 0);
}

}  // namespace
}  // namespace stressbench::trace
