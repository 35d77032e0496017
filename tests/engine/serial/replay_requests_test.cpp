// Planning of calls that complete requests, without MPI: time in proportion to the requests that they name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

trace::Call completing(const char* op, std::vector<int> requests, std::vector<int> done) {
  trace::Call call;
  call.op = op;
  call.requests = std::move(requests);
  call.done = std::move(done);
  return call;
}
std::vector<std::size_t> equalised(const std::vector<trace::Call>& calls, std::vector<std::size_t> bytes) {
  equalise_swappable_buffers(calls, bytes);
  return bytes;
}

TEST(ReplayRequests, ThatMaySwapHaveBuffersOfOneSize) {
  EXPECT_THAT(equalised({completing("Waitany", {0, 2}, {2}), completing("Waitsome", {-1, 2, 4}, {4}),
                         completing("Waitall", {1, 4}, {})},
                        {1, 2, 3, 4, 5}),
              ElementsAre(5, 2, 5, 4, 5));
  EXPECT_THAT(equalised({completing("Waitany", {-1}, {0})}, {7}), ElementsAre(7));
}

// The size of the last buffer passes from one call to the one before. To repeat passes over the calls until nothing
// grows would take 10^10 steps.
TEST(ReplayRequests, ThatMaySwapInALongChainHaveBuffersOfOneSize) {
  constexpr int count = 100'000;
  std::vector<trace::Call> calls;
  for (int k = 0; k + 1 < count; ++k) calls.push_back(completing("Waitany", {k, k + 1}, {k}));
  std::vector<std::size_t> bytes(count, 1);
  bytes.back() = 8;
  EXPECT_THAT(equalised(calls, bytes), testing::Each(8));
}

// To search each completed request among all would take 10^12 steps.
TEST(ReplayRequests, ThatCompleteInOneCallAreFoundInTimeInProportion) {
  std::vector<int> slots(1'000'000);
  std::iota(slots.rbegin(), slots.rend(), 0);
  trace::RankRecord record;
  record.calls = {completing("Waitsome", slots, slots)};
  const ReplayPlan plan(record, {});
  EXPECT_EQ(plan[0].completed.size(), slots.size());
}

TEST(ReplayRequests, ThatACallNamesTwiceAreRefused) {
  trace::RankRecord record;
  record.calls = {completing("Waitall", {3, -1, 0, -1, 3}, {})};
  EXPECT_THAT([&] { const ReplayPlan plan(record, {}); },
              ThrowsMessage<UserMistake>(HasSubstr("call 0 (MPI_Waitall): names slot 3 twice")));
}

}  // namespace
}  // namespace stressbench::replay
