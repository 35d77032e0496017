// The calls of a training step, by rank.
#include <gtest/gtest.h>

#include "expected_calls.hpp"

namespace stressbench::test {
namespace {

class TrainingSteps : public testing::TestWithParam<ExpectedCalls> {};

TEST_P(TrainingSteps, MakeTheCallsOfTheirSchedule) {
  ExpectedCalls expected = GetParam();
  expected.options.emplace_back("compute", "off");
  expect_calls(expected);
}

std::vector<std::string> on_both(const std::string& calls) { return {calls, calls}; }

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, TrainingSteps,
    testing::Values(
        // 50 elements of 2 bytes: a first bucket of 10, then 16 each.
        ExpectedCalls{
            "data_parallel",
            {{"parameters", "50"}, {"bucket", "32"}, {"first-bucket", "20"}, {"in-flight", "2"}},
            on_both("Iallreduce[SUM]:20@2 Iallreduce[SUM]:32@2 W(1) Iallreduce[SUM]:32@2 W(1) Iallreduce[SUM]:16@2 "
                    "Wa(2)")},
        ExpectedCalls{
            "data_parallel",
            {{"parameters", "50"}, {"bucket", "64"}, {"first-bucket", "64"}, {"blocking", ""}, {"precision", "fp32"}},
            on_both("Allreduce[SUM]:64@2 Allreduce[SUM]:64@2 Allreduce[SUM]:64@2 Allreduce[SUM]:8@2")},
        // 10 elements in parts of 4, 3, 3: parts move to the right, in two times two steps.
        ExpectedCalls{"data_parallel",
                      {{"parameters", "10"}, {"blocking", ""}, {"algorithm", "ring"}},
                      {"SR>1:8<2:6 SR>1:6<2:6 SR>1:6<2:8 SR>1:8<2:6", "SR>2:6<0:8 SR>2:8<0:6 SR>2:6<0:6 SR>2:6<0:8",
                       "SR>0:6<1:6 SR>0:6<1:8 SR>0:8<1:6 SR>0:6<1:6"}},
        ExpectedCalls{"data_parallel",
                      {{"parameters", "10"}, {"blocking", ""}, {"algorithm", "tree"}},
                      {"R<1:1:20 R<2:1:20 S>2:1:20 S>1:1:20", "S>0:1:20 R<0:1:20",
                       "R<3:1:20 S>0:1:20 R<0:1:20 S>3:1:20", "S>2:1:20 R<2:1:20"}},
        // Two layers of 5 parameters in shares of 3, the last one padded.
        ExpectedCalls{"fsdp",
                      {{"parameters", "10"}, {"layers", "2"}},
                      on_both("Iallgather:6@2 Iallgather:6@2 W(1) W(1) Iallgather:6@2 Iallgather:6@2 W(1) "
                              "Ireduce_scatter_block[SUM]:12@2 W(1) Ireduce_scatter_block[SUM]:12@2 Wa(2)")},
        ExpectedCalls{"fsdp",
                      {{"parameters", "10"}, {"layers", "2"}, {"stage", "2"}},
                      on_both("Ireduce_scatter_block[SUM]:12@2 Ireduce_scatter_block[SUM]:12@2 Wa(2) Iallgather:6@2 "
                              "Iallgather:6@2 Wa(2)")},
        ExpectedCalls{"tensor_parallel",
                      {{"parameters", "10"}, {"layers", "1"}, {"hidden", "3"}, {"tokens", "4"}},
                      on_both("Allreduce[SUM]:24@2 Allreduce[SUM]:24@2 Allreduce[SUM]:24@2 Allreduce[SUM]:24@2")},
        // Three micro-batches of 2 tokens of 4 elements of 2 bytes on three stages.
        ExpectedCalls{
            "pipeline_parallel",
            {{"layers", "3"}, {"hidden", "4"}, {"tokens", "6"}, {"micro-batches", "3"}},
            {"Is>1:1:16 Is>1:1:16 W(1) Is>1:1:16 R<1:2:16 R<1:2:16 R<1:2:16 Wa(2) Wa(2)",
             "R<0:1:16 Is>2:1:16 R<0:1:16 Is>2:1:16 R<2:2:16 Is>0:2:16 R<0:1:16 W(1) Is>2:1:16 R<2:2:16 Is>0:2:16 "
             "R<2:2:16 W(1) Is>0:2:16 Wa(2) Wa(2)",
             "R<1:1:16 Is>1:2:16 R<1:1:16 Is>1:2:16 R<1:1:16 W(1) Is>1:2:16 Wa(2) Wa(2)"}},
        ExpectedCalls{
            "pipeline_parallel",
            {{"layers", "2"}, {"hidden", "4"}, {"tokens", "4"}, {"micro-batches", "2"}, {"schedule", "gpipe"}},
            {"Is>1:1:16 Is>1:1:16 R<1:2:16 R<1:2:16 Wa(2) Wa(2)", "R<0:1:16 R<0:1:16 Is>0:2:16 Is>0:2:16 Wa(2) Wa(2)"}},
        // 12 copies: shares of 8 and 4 tokens of 2 elements of 2 bytes.
        ExpectedCalls{"moe",
                      {{"layers", "1"}, {"hidden", "2"}, {"tokens", "6"}, {"skew", "1"}},
                      {"Alltoallv:48@2 Alltoallv:64@2 Alltoallv:48@2 Alltoallv:64@2",
                       "Alltoallv:48@2 Alltoallv:32@2 Alltoallv:48@2 Alltoallv:32@2"}},
        ExpectedCalls{
            "parameter_server",
            {{"parameters", "10"}, {"servers", "2"}, {"bucket", "14"}},
            {"Ir<2:1:8 Wa(1) Is>2:2:8 Wa(1) Ir<2:1:4 Wa(1) Is>2:2:4 Wa(1)",
             "Ir<2:1:6 Wa(1) Is>2:2:6 Wa(1) Ir<2:1:2 Wa(1) Is>2:2:2 Wa(1)",
             "Is>0:1:8 Is>1:1:6 Wa(2) Ir<0:2:8 Ir<1:2:6 Wa(2) Is>0:1:4 Is>1:1:2 Wa(2) Ir<0:2:4 Ir<1:2:2 Wa(2)"}}));

}  // namespace
}  // namespace stressbench::test
