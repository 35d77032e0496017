// One-sided motifs: order of calls, announced traffic, and detection of a wrong byte, for every epoch and pattern.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expected_calls.hpp"

namespace stressbench::test {
namespace {

using testing::ContainsRegex;

class OneSidedCalls : public testing::TestWithParam<ExpectedCalls> {};

TEST_P(OneSidedCalls, AreAnEpochWithItsOperations) { expect_calls(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, OneSidedCalls,
    testing::Values(
        ExpectedCalls{"put", {{"size", "9"}}, {"Lock:1 Put>1:0:9 Unlock:1", ""}},
        ExpectedCalls{
            "put", {{"size", "9"}, {"sync", "fence"}}, {"Fence Put>1:0:9 Fence", "Fence Fence", "Fence Fence"}},
        ExpectedCalls{"put", {{"size", "9"}, {"sync", "pscw"}}, {"Start(1) Put>1:0:9 Complete", "Post(1) Wait", ""}},
        ExpectedCalls{"put", {{"size", "9"}, {"sync", "lock_all"}}, {"LockAll Put>1:0:9 UnlockAll", ""}},
        ExpectedCalls{"put", {{"size", "9"}, {"flush", ""}}, {"Put>1:0:9 Flush:1", ""}},
        ExpectedCalls{
            "put", {{"size", "9"}, {"flush", ""}, {"operations", "3"}}, {"Put>1:0:9 Put>1:9:9 Put>1:18:9 Flush:1", ""}},
        ExpectedCalls{"get",
                      {{"size", "9"}, {"flush", ""}, {"sync", "lock_all"}, {"pattern", "one_to_all"}},
                      {"Get>1:0:9 Get>2:0:9 FlushAll", "", ""}},
        ExpectedCalls{"get",
                      {{"size", "9"}, {"pattern", "both_ways"}, {"pairs", "halves"}},
                      {"Lock:2 Get>2:0:9 Unlock:2", "Lock:3 Get>3:0:9 Unlock:3", "Lock:0 Get>0:0:9 Unlock:0",
                       "Lock:1 Get>1:0:9 Unlock:1"}},
        ExpectedCalls{
            "put",
            {{"size", "9"}, {"pattern", "exchange"}, {"sync", "pscw"}},
            {"Post(2) Start(2) Put>1:0:9 Put>2:9:9 Complete Wait", "Post(2) Start(2) Put>2:0:9 Put>0:9:9 Complete Wait",
             "Post(2) Start(2) Put>0:0:9 Put>1:9:9 Complete Wait"}},
        ExpectedCalls{"put",
                      {{"size", "9"}, {"pattern", "exchange"}, {"flush", ""}},
                      {"Put>1:0:9 Put>1:9:9 Flush:1", "Put>0:0:9 Put>0:9:9 Flush:0"}},
        ExpectedCalls{
            "put",
            {{"size", "9"}, {"pattern", "all_to_all"}, {"sync", "fence"}},
            {"Fence Put>1:0:9 Put>2:0:9 Fence", "Fence Put>2:9:9 Put>0:0:9 Fence", "Fence Put>0:9:9 Put>1:9:9 Fence"}},
        ExpectedCalls{"put",
                      {{"size", "9"}, {"pattern", "all_to_one"}, {"operations", "2"}, {"sync", "lock_all"}},
                      {"", "LockAll Put>0:0:9 Put>0:9:9 UnlockAll", "LockAll Put>0:18:9 Put>0:27:9 UnlockAll"}},
        ExpectedCalls{"accumulate",
                      {{"size", "16"}, {"pattern", "all_to_one"}, {"operations", "2"}},
                      {"", "Lock:0 Acc[SUM]>0:0:16 Acc[SUM]>0:16:16 Unlock:0",
                       "Lock:0 Acc[SUM]>0:0:16 Acc[SUM]>0:16:16 Unlock:0"}},
        ExpectedCalls{
            "accumulate", {{"size", "16"}, {"call", "get_accumulate"}}, {"Lock:1 GetAcc>1:0:16 Unlock:1", ""}},
        ExpectedCalls{"atomic",
                      {{"pattern", "all_to_one"}, {"operations", "2"}, {"flush", ""}},
                      {"", "FetchOp>0:0:8 FetchOp>0:0:8 Flush:0", "FetchOp>0:0:8 FetchOp>0:0:8 Flush:0"}},
        ExpectedCalls{"atomic", {{"call", "compare_and_swap"}}, {"Lock:1 Cas>1:0:8 Unlock:1", ""}}));

struct OneSidedCase {
  std::string motif;
  Options options;
  friend void PrintTo(const OneSidedCase& one_sided_case, std::ostream* out) {
    *out << one_sided_case.motif;
    for (const auto& [option, text] : one_sided_case.options) *out << ' ' << option << '=' << text;
  }
};

std::vector<OneSidedCase> all_cases() {
  const std::vector<OneSidedCase> motifs{{"put", {{"size", "100"}}},
                                         {"get", {{"size", "100"}}},
                                         {"accumulate", {{"size", "64"}}},
                                         {"accumulate", {{"size", "64"}, {"call", "get_accumulate"}}},
                                         {"atomic", {}},
                                         {"atomic", {{"call", "compare_and_swap"}}}};
  const std::vector<Options> epochs{{{"sync", "fence"}},
                                    {{"sync", "lock"}},
                                    {{"sync", "lock_all"}},
                                    {{"sync", "pscw"}},
                                    {{"sync", "lock"}, {"flush", ""}},
                                    {{"sync", "lock_all"}, {"flush", ""}}};
  std::vector<OneSidedCase> cases;
  std::size_t next = 0;  // numbers of operations and kinds of window alternate
  for (const OneSidedCase& motif : motifs) {
    for (const Options& epoch : epochs) {
      for (const char* pattern : {"one_way", "both_ways", "exchange", "one_to_all", "all_to_one", "all_to_all"}) {
        ++next;
        // All combinations for put and get; every second one for the other motifs, which use the same epochs.
        const bool moves = motif.motif == "put" || motif.motif == "get";
        if (!moves && (next + next / 6) % 2 == 0) continue;
        OneSidedCase one_sided_case = motif;
        one_sided_case.options.insert(one_sided_case.options.end(), epoch.begin(), epoch.end());
        one_sided_case.options.emplace_back("pattern", pattern);
        one_sided_case.options.emplace_back("operations", next % 4 < 2 ? "3" : "1");
        // Open MPI 4 crashes in compare-and-swap on memory from MPI_Win_allocate (its issue 11349).
        const bool swaps = motif.motif == "atomic" && !motif.options.empty();
        one_sided_case.options.emplace_back("window-kind", next % 3 == 0 && !swaps ? "allocate" : "create");
        cases.push_back(one_sided_case);
      }
    }
  }
  return cases;
}

class OneSidedWays : public testing::TestWithParam<OneSidedCase> {};

TEST_P(OneSidedWays, MoveWhatTheySayAndNothingIsWrong) {
  for (int n = std::max(2, world_size() - 1); n <= world_size(); ++n) {
    const mpi::Group group = first_ranks(n);
    if (!group) continue;
    MotifBench bench(group, GetParam().motif, GetParam().options);
    for (std::uint64_t pass = 0; pass < 2; ++pass) {
      bench->fill_payload(pass);
      capture::start();
      bench.perform();
      const Traffic own = capture::stop().sent;
      EXPECT_NO_THROW(bench->verify(pass)) << n << " ranks";
      std::array<std::int64_t, 3> sent{own.messages, own.message_bytes, own.collectives};
      PMPI_Allreduce(MPI_IN_PLACE, sent.data(), 3, MPI_INT64_T, MPI_SUM, group.handle());
      const Traffic expected = bench->traffic(n);
      EXPECT_EQ(sent, (std::array{expected.messages, expected.message_bytes, expected.collectives})) << n << " ranks";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfMotifs, OneSidedWays, testing::ValuesIn(all_cases()));

struct CorruptedOperation {
  std::string motif;
  Options options;
  int ranks;
  int corrupted_rank;  // rank of the corrupted operation
  int operation;
  std::size_t offset;
  int reporting_rank;  // rank that reports it
  std::string message;
};

std::string fault_of(const Motif& motif, std::uint64_t pass) {
  try {
    motif.verify(pass);
  } catch (const MachineFault& fault) {
    return fault.what();
  }
  return "";
}

TEST(OneSidedVerification, NamesWhatIsWrong) {
  const std::vector<CorruptedOperation> corruptions{
      {"put",
       {{"size", "100"}, {"operations", "3"}},
       2,
       0,
       1,
       50,
       1,
       "rank 1 received .* from rank 0 at offset 50 of the message"},
      {"put",
       {{"size", "100"}, {"pattern", "all_to_one"}, {"flush", ""}},
       3,
       2,
       0,
       99,
       0,
       "rank 0 received .* from rank 2 at offset 99 of the message"},
      {"get",
       {{"size", "100"}, {"sync", "fence"}},
       2,
       0,
       0,
       7,
       0,
       "rank 0 received .* from rank 1 at offset 7 of the message"},
      {"get",
       {{"size", "100"}, {"pattern", "exchange"}, {"sync", "pscw"}},
       3,
       1,
       1,
       7,
       1,
       "rank 1 received .* from rank 0 at offset 7 of the message"},
      {"accumulate", {{"size", "64"}}, 2, 0, 0, 17, 1, "rank 1 has .* in its window as number 2 of operation 0"},
      {"accumulate",
       {{"size", "64"}, {"call", "get_accumulate"}, {"operations", "2"}},
       2,
       0,
       1,
       9,
       0,
       "rank 0 got .* from rank 1 as number 1 of operation 1"},
      {"atomic", {{"operations", "2"}}, 2, 0, 1, 3, 0, "rank 0 got .* from rank 1's counter in operation 1"},
      {"atomic",
       {{"call", "compare_and_swap"}, {"pattern", "all_to_one"}},
       3,
       2,
       0,
       7,
       2,
       "rank 2 got .* from rank 0's counter in operation 0"}};
  for (const CorruptedOperation& corruption : corruptions) {
    if (world_size() < corruption.ranks) continue;
    const mpi::Group group = first_ranks(corruption.ranks);
    if (!group) continue;
    MotifBench bench(group, corruption.motif, corruption.options);
    bench->fill_payload(7);
    if (group.rank() == corruption.corrupted_rank) capture::corrupt_operation(corruption.operation, corruption.offset);
    bench.perform();
    const std::string fault = fault_of(*bench, 7);
    EXPECT_THAT(fault, ContainsRegex(group.rank() == corruption.reporting_rank ? corruption.message : "^$"))
        << corruption.motif;
  }
}

TEST(OneSidedVerification, NoticesThatNothingHappened) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  const std::vector<std::pair<OneSidedCase, int>> reporting_ranks{{{"put", {}}, 1},
                                                                  {{"get", {}}, 0},
                                                                  {{"accumulate", {}}, 1},
                                                                  {{"atomic", {}}, 0},
                                                                  {{"atomic", {{"call", "compare_and_swap"}}}, 1}};
  for (const auto& [one_sided_case, reporting_rank] : reporting_ranks) {
    MotifBench bench(group, one_sided_case.motif, one_sided_case.options);
    bench->fill_payload(7);  // without perform
    const std::string fault = fault_of(*bench, 7);
    if (group.rank() == reporting_rank) {
      EXPECT_NE(fault, "") << one_sided_case.motif;
    }
  }
}

TEST(OneSidedObservers, AreTheOrigins) {
  if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  const mpi::Group group = first_ranks(3);
  if (!group) return;
  const std::vector<std::pair<std::string, std::vector<bool>>> patterns{{"one_way", {true, false, false}},
                                                                        {"both_ways", {true, true, false}},
                                                                        {"one_to_all", {true, false, false}},
                                                                        {"all_to_one", {false, true, true}},
                                                                        {"all_to_all", {true, true, true}}};
  for (const auto& [pattern, is_timed] : patterns) {
    const MotifBench bench(group, "put", {{"pattern", pattern}});
    EXPECT_EQ(bench->is_timed(), is_timed[static_cast<std::size_t>(group.rank())]) << pattern;
  }
}

TEST(OneSidedBandwidth, IsThatOfOneOrigin) {
  const Options many{{"size", "100"}, {"operations", "4"}, {"pattern", "all_to_all"}};
  EXPECT_EQ(make_motif("put", {{"size", "100"}})->bandwidth(4)->bytes, 100);
  EXPECT_EQ(make_motif("get", many)->bandwidth(4)->bytes, 3 * 4 * 100);
  EXPECT_EQ(make_motif("get", many)->bandwidth(4)->messages, 3 * 4);
  EXPECT_EQ(make_motif("accumulate", {{"size", "80"}, {"call", "get_accumulate"}})->bandwidth(4)->bytes, 160);
}

}  // namespace
}  // namespace stressbench::test
