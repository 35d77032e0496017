// Amounts and memory of the calls of a list. Nothing is called here.
#include "calls/call_list_executor.hpp"

#include <gtest/gtest.h>

namespace stressbench::calls {
namespace {

TEST(CallListExecutor, ChecksReceivesThatNoMessageMatchesInOneMemory) {
  constexpr std::int64_t capacity = 600'120;
  const auto bytes_with = [](int unmatched) {
    CallList calls(0, 2);
    const Requests requests = calls.requests(unmatched + 1);
    calls.irecv(requests[unmatched], 1, 0, 64);
    for (int k = 0; k < unmatched; ++k) calls.irecv_unmatched(requests[k], 1, 1, capacity);
    const mpi::Group group;
    CallListExecutor executor(calls, group);
    executor.fill_payload(0);
    return executor.buffer_bytes();
  };
  EXPECT_EQ(bytes_with(10), bytes_with(1));
  EXPECT_GE(bytes_with(1), bytes_with(0) + capacity);
}

TEST(CallList, RefusesAnAmountThatHasOverflowed) {
  CallList calls(0, 2);
  EXPECT_THROW(calls.send(1, 0, -8), ParameterMistake);
  EXPECT_THROW(calls.sendrecv(1, 0, 8, 1, 0, -7168, 8), ParameterMistake);
  EXPECT_THROW(calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::floats, -1), ParameterMistake);
}

}  // namespace
}  // namespace stressbench::calls
