// --gaps-from: motifs compute before each of their calls for as long as the program did, rank by rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>

#include "../traces_of_lists.hpp"
#include "allocations.hpp"
#include "capture.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* path = "gaps_from_test.trace";

// Advances by `step_ns` with each reading, and while a motif waits for it. Notes each wait in nanoseconds among the
// calls that are captured, and each reading as "t".
class NotingClock final : public Clock {
 public:
  explicit NotingClock(std::int64_t step_ns = 0) : step_ns_(step_ns) {}
  std::int64_t now_ns() const noexcept override {
    note("t");
    return now_ += step_ns_;
  }
  void spin_until(std::int64_t end_ns) const noexcept override {
    note(std::to_string(end_ns - now_));
    now_ = end_ns;
  }

 private:
  static void note(std::string text) {
    if (capture::is_recording()) capture::record_call(std::move(text));
  }
  std::int64_t step_ns_;
  mutable std::int64_t now_ = 0;
};

Options with(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}
const Options from_trace{{"gaps-from", path}};

class GapsFromTrace : public testing::Test {
 protected:
  GapsFromTrace() : group_(mpi::Group::view(MPI_COMM_WORLD).duplicate()) {}
  ~GapsFromTrace() override { capture::force_testall_result(capture::TestallResult::honest); }

  int ranks() const { return group_.size(); }
  int rank() const { return group_.rank(); }
  // Of one part for each rank of the group.
  void write(const std::vector<Part>& parts) const {
    if (rank() == 0) std::ofstream(path, std::ios::binary) << trace_text(parts);
    PMPI_Barrier(group_.handle());
  }
  // The trace of a program that makes the calls of a motif, with `ns_before(rank, position)` before each.
  void write(const std::string& motif, const Options& options, const std::function<std::int64_t(int, int)>& ns_before,
             ProgramsTests tests = ProgramsTests::failed, std::int64_t iterations = 3) const {
    std::vector<Part> parts;
    for (int r = 0; r < ranks(); ++r) {
      const auto made = make_motif(motif, options);
      made->check(ranks());
      const calls::CallList list = dynamic_cast<const CallListMotif&>(*made).calls_of(r, ranks());
      parts.push_back(recorded(functions_of(list, tests), iterations, [&](int k) { return ns_before(r, k); }));
    }
    write(parts);
  }
  // The calls of one iteration and what the clock noted between them.
  capture::Record performed(const std::string& motif, const Options& options) const {
    const MotifBench bench(group_, motif, options);
    return performed(*bench);
  }
  static capture::Record performed(Motif& motif, std::int64_t step_ns = 0) {
    const NotingClock clock(step_ns);
    Recorder recorder(clock);
    capture::start();
    motif.perform(recorder);
    return capture::stop();
  }
  // Times of waiting only.
  static std::vector<std::int64_t> waits(Motif& motif, std::int64_t step_ns = 0) {
    std::vector<std::int64_t> found;
    for (const std::string& token : performed(motif, step_ns).tokens) {
      if (!token.empty() && std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; }))
        found.push_back(std::stoll(token));
    }
    return found;
  }
  // The message with which decompose fails, the same on all ranks.
  std::string rejection(const std::string& name, const Options& options) const {
    const auto motif = make_motif(name, options);
    try {
      motif->decompose(group_, {});
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "gaps-from");
      return mistake.what();
    }
    return "";
  }

  mpi::Group group_;
};

// Below 2 us, in which computation writes nothing that was sent, and so reads no further clock.
std::int64_t distinct(int rank, int position) { return 8 * (1 + position % 239) + rank; }

class EveryCallList : public GapsFromTrace, public testing::WithParamInterface<std::pair<std::string, Options>> {};

// Before each call the clock is read once and waited for once, and before each test read once; there is nothing else.
TEST_P(EveryCallList, ComputesBeforeEachCallAsTheProgramDid) {
  const auto& [name, options] = GetParam();
  if (!fits(*make_motif(name, options), ranks())) GTEST_SKIP() << "does not fit " << ranks() << " ranks";
  capture::force_testall_result(capture::TestallResult::incomplete);
  write(name, options, distinct);
  const capture::Record calls = performed(name, with(options, {{"compute", "off"}}));
  std::multiset<std::size_t> tests;  // numbers of the calls that follow
  for (const std::string& test : calls.tests) tests.insert(static_cast<std::size_t>(std::stoi(test)));
  std::vector<std::string> expected;
  for (std::size_t k = 0; k < calls.tokens.size(); ++k) {
    expected.insert(expected.end(), tests.count(k), "t");
    expected.insert(expected.end(), {"t", std::to_string(distinct(rank(), static_cast<int>(k))), calls.tokens[k]});
  }
  EXPECT_EQ(performed(name, with(options, from_trace)).tokens, expected);
}

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, EveryCallList,
    testing::Values(std::pair{"halo2d", Options{{"depth", "3"}}},
                    std::pair{"tealeaf", Options{{"columns", "40"}, {"rows", "40"}, {"step", ""}}},
                    std::pair{"tealeaf", Options{{"columns", "40"}, {"rows", "40"}, {"solver", "ppcg"}}},
                    std::pair{"halo3d", Options{{"columns", "20"}, {"rows", "20"}, {"planes", "20"}, {"overlap", ""}}},
                    std::pair{"sweep3d", Options{{"kt", "7"}}},
                    std::pair{"cloverleaf", Options{{"-x", "31"}, {"-y", "13"}}},
                    std::pair{"swfft", Options{{"ngx", "12"}, {"driver", ""}}},
                    std::pair{"fft2d", Options{{"nx", "20"}, {"call", "pairwise"}}},
                    std::pair{"vpfft", Options{{"nx", "6"}, {"-n", "2"}}}, std::pair{"milc", Options{}},
                    std::pair{"minife", Options{{"nx", "9"}, {"ny", "8"}, {"nz", "7"}}},
                    std::pair{"nekbone", Options{{"elements", "2"}}}, std::pair{"comd", Options{{"nx", "9"}}},
                    std::pair{"mcb", Options{{"zones-x", "9"}, {"zones-y", "7"}, {"cycles", "1"}}},
                    std::pair{"npb", Options{{"class", "S"}}}, std::pair{"amg", Options{{"points", "6x5x4"}}},
                    std::pair{"umt", Options{{"zones", "1x2x1"}, {"temperature-iterations", "2"}}},
                    std::pair{"traffic", Options{{"like", "charon"}}},
                    std::pair{"data_parallel", Options{{"parameters", "1000"}}},
                    std::pair{"fsdp", Options{{"parameters", "1000"}}},
                    std::pair{"moe", Options{{"tokens", "64"}, {"layers", "1"}}},
                    std::pair{"stencil", Options{{"null-calls", ""}}}));

const Options small{{"columns", "20"}, {"rows", "20"}};

// Of two ranks with TeaLeaf's halo: the test in it is not a call of the trace unless it succeeded.
class HaloOfTwo : public GapsFromTrace {
 protected:
  void SetUp() override {
    if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
    group_ = first_ranks(2);
    if (!group_) GTEST_SKIP() << "on 2 ranks";
  }
  std::string tokens(const capture::Record& record) const { return capture::joined(record.tokens); }
};

TEST_F(HaloOfTwo, ComputesFromBeforeATestThatTheTraceLacks) {
  write("halo2d", small, [](int, int position) { return 100 * (position + 1); });
  capture::force_testall_result(capture::TestallResult::incomplete);
  const capture::Record record = performed("halo2d", with(small, from_trace));
  const std::string both = fmt::format("t 100 Is>{0}:{1}:176 t 200 Ir<{0}:{2}:176", 1 - rank(), 2 - rank(), 1 + rank());
  // The test takes place between two readings, in the computation before the wait.
  EXPECT_EQ(tokens(record), both + " t t 300 Wa(2) t 400 Wa(0)");
  EXPECT_THAT(record.tests, ElementsAre("7:Testall(2)"));
}

TEST_F(HaloOfTwo, ComputesTheSameWhereItsOwnTestSucceeds) {
  write("halo2d", small, [](int, int position) { return 100 * (position + 1); });
  capture::force_testall_result(capture::TestallResult::complete);
  const capture::Record record = performed("halo2d", with(small, from_trace));
  EXPECT_THAT(tokens(record), testing::EndsWith(" t t 300 t 400 Wa(0)"));
  EXPECT_THAT(record.tests, ElementsAre("7:Testall(2)"));
}

// A test of 500 ns is a part of the computation; one of 5000 ns handled messages or gave its core away, and is not,
// but for the 2000 ns that the tracer counts as computation, too. The last computation writes the message that was
// sent, and reads the clock once more.
TEST_F(HaloOfTwo, ALongTestIsNotComputation) {
  write("halo2d", small, [](int, int) { return 10'000; });
  capture::force_testall_result(capture::TestallResult::incomplete);
  const MotifBench bench(group_, "halo2d", with(small, from_trace));
  EXPECT_THAT(waits(*bench, 500), ElementsAre(10'000, 10'000, 9500, 9500));
  EXPECT_THAT(waits(*bench, 5000), ElementsAre(10'000, 10'000, 8000, 5000));
}

// Each part that is written ends with a reading of the clock. A sleep reads the clock once, before it begins.
TEST_F(HaloOfTwo, ComputationWritesWhatWasSent) {
  write("halo2d", small, [](int, int) { return 10'000; });
  capture::force_testall_result(capture::TestallResult::incomplete);
  EXPECT_THAT(tokens(performed("halo2d", with(small, from_trace))),
              testing::EndsWith(":176 t t 10000 Wa(2) t t 10000 Wa(0)"));
  EXPECT_THAT(tokens(performed("halo2d", with(small, {{"gaps-from", path}, {"compute", "sleep"}}))),
              testing::EndsWith(":176 t t t 10000 Wa(2) t t 10000 Wa(0)"));
}

TEST_F(HaloOfTwo, ComputesBeforeATestThatSucceededInTheProgram) {
  write(
      "halo2d", small, [](int, int position) { return 100 * (position + 1); }, ProgramsTests::succeeded);
  capture::force_testall_result(capture::TestallResult::complete);
  const capture::Record record = performed("halo2d", with(small, from_trace));
  EXPECT_THAT(tokens(record), testing::EndsWith(" t 300 t 400 Wa(0)"));
  EXPECT_THAT(record.tests, ElementsAre("8:Testall(2)"));
}

TEST_F(HaloOfTwo, WaitsWithoutComputationWhereOnlyTheProgramsTestSucceeded) {
  write(
      "halo2d", small, [](int, int position) { return 100 * (position + 1); }, ProgramsTests::succeeded);
  capture::force_testall_result(capture::TestallResult::incomplete);
  const capture::Record record = performed("halo2d", with(small, from_trace));
  EXPECT_THAT(tokens(record), testing::EndsWith(" t 300 Wa(2) t 400 Wa(0)"));
  EXPECT_THAT(record.tests, ElementsAre("8:Testall(2)"));
}

TEST_F(HaloOfTwo, ComputesForProcessorTimeOnRequest) {
  write("halo2d", small, [](int, int) { return 1'000'000; });
  MotifBench bench(group_, "halo2d", with(small, {{"gaps-from", path}, {"compute", "cpu"}}));
  const CpuClock cpu;
  const std::int64_t before_ns = cpu.now_ns();
  bench.perform();
  EXPECT_GE(cpu.now_ns() - before_ns, 4'000'000);
}

TEST_F(HaloOfTwo, IsAPartOfALongerIteration) {
  write("tealeaf", small, distinct);
  const MotifBench halo(group_, "halo2d", with(small, {{"gaps-from", path}, {"first-call", "2"}}));
  EXPECT_THAT(waits(*halo),
              ElementsAre(distinct(rank(), 2), distinct(rank(), 3), distinct(rank(), 4), distinct(rank(), 5)));
}

TEST_F(HaloOfTwo, LoopsAreUnrolled) {
  write("tealeaf", with(small, {{"solver-iterations", "2"}}), distinct);
  capture::force_testall_result(capture::TestallResult::incomplete);
  const MotifBench bench(group_, "tealeaf", with(small, {{"solver-iterations", "2"}, {"gaps-from", path}}));
  std::vector<std::int64_t> expected;
  for (int position = 0; position < 12; ++position) expected.push_back(distinct(rank(), position));
  EXPECT_EQ(waits(*bench), expected);
}

TEST_F(HaloOfTwo, IsAnnouncedWithTheMeanOverTheRanks) {
  write("halo2d", small, [](int r, int) { return 1000 * (r + 1); });
  const auto announced = [&](const Options& options) {
    return make_motif("halo2d", with(with(small, from_trace), options))->traffic(2).compute_s;
  };
  EXPECT_NEAR(announced({}), 6e-6, 1e-15);  // 4 calls of 1 and 2 us
  EXPECT_NEAR(announced({{"scale", "2"}}), 12e-6, 1e-15);
  EXPECT_EQ(announced({{"compute", "off"}}), 0);
}

TEST_F(HaloOfTwo, IsRefusedOnAllRanksForTheCallsOfOne) {
  const std::vector<std::string> functions{"Isend", "Irecv", "Waitall", "Waitall"};
  const std::vector<std::string> others{"Isend", "Isend", "Waitall", "Waitall"};
  const auto ns = [](int) { return 100; };
  write({recorded(functions, 2, ns), recorded(others, 2, ns)});
  EXPECT_EQ(rejection("halo2d", with(small, from_trace)),
            "--gaps-from: 'gaps_from_test.trace', rank 1, call 1: the trace has Isend, the motif calls Irecv");
  EXPECT_NO_THROW(make_motif("halo2d", with(small, from_trace))->check(2));  // looks at rank 0 only
}

TEST_F(HaloOfTwo, IsRefusedOnAllRanksWhereASequenceEnds) {
  const auto ns = [](int) { return 100; };
  write({recorded({"Isend", "Irecv", "Waitall", "Waitall"}, 2, ns), recorded({"Isend", "Irecv", "Waitall"}, 1, ns)});
  EXPECT_EQ(
      rejection("halo2d", with(small, from_trace)),
      "--gaps-from: 'gaps_from_test.trace', rank 1: the sequence has 3 calls, counted from 0; calls 0 to 3 are needed");
}

TEST_F(HaloOfTwo, AllocatesNothingWhileItComputes) {
  write("halo2d", small, [](int, int) { return 500; });
  MotifBench bench(group_, "halo2d", with(small, {{"gaps-from", path}, {"iterations", "5"}}));
  for (std::uint64_t execution = 0; execution < 3; ++execution) {
    bench->prepare(5 * execution);
    const std::int64_t before = allocations();
    for (int i = 0; i < 5; ++i) bench.perform();
    EXPECT_EQ(allocations() - before, 0);
  }
}

// Reductions on one rank, without anything else: TeaLeaf's iterations with the Jacobi solver.
class Reductions : public GapsFromTrace {
 protected:
  void SetUp() override {
    group_ = first_ranks(1);
    if (!group_) GTEST_SKIP() << "on 1 rank";
  }
  static Options jacobi(int reductions, const Options& options = {}) {
    return with({{"solver", "jacobi"}, {"solver-iterations", std::to_string(reductions)}, {"gaps-from", path}},
                options);
  }
  // Two reductions in each iteration, with 5 us between them, `around_ns` between the last and the next first,
  // `first_ns` before the first of all, and `last_ns` after the last.
  void write_pairs(std::int64_t iterations, std::int64_t first_ns, std::int64_t around_ns, std::int64_t last_ns) {
    Part part = recorded({"Allreduce", "Allreduce"}, iterations, [](int) { return 5000; });
    part.gaps = Json::array({gap_of(-1, 0, 1, first_ns), gap_of(0, 1, iterations, 5000)});
    if (iterations > 1) part.gaps.push_back(gap_of(1, 0, iterations - 1, around_ns));
    part.tail_s = static_cast<double>(last_ns) * 1e-9;
    write({part});
  }
  // One reduction in each of eleven iterations: between them, 2 times 100 ns, 6 times 1000 ns, 2 times 3900 ns; at the
  // ends of the trace, 100 ns in all.
  void write_spread() {
    Part part = recorded({"Allreduce"}, 11, [](int) { return 100; });
    part.gaps =
        Json::array({gap_of(-1, 0, 1, 40),
                     Json::array({0, 0, 10, 14e-6, 1e-7, 3.9e-6, 0,
                                  Json::array({Json::array({2, 2}), Json::array({8, 6}), Json::array({12, 2})})})});
    part.tail_s = 60e-9;
    write({part});
  }
  // The waits of successive executions.
  std::vector<std::int64_t> waits_of(const Options& options, std::uint64_t executions, std::uint64_t seed = 1) const {
    const MotifBench bench(group_, "tealeaf", options, seed);
    std::vector<std::int64_t> all;
    for (std::uint64_t i = 0; i < executions; ++i) {
      if (i % static_cast<std::uint64_t>(bench->iterations()) == 0) bench->prepare(i);
      const std::vector<std::int64_t> more = waits(*bench);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
};

std::int64_t sum(const std::vector<std::int64_t>& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

TEST_F(Reductions, TheEndsOfTheTraceAreOneMoreTimeBetweenItsIterations) {
  write_pairs(4, 1000, 2000, 2000);
  EXPECT_THAT(waits_of(jacobi(2, {{"gaps", "mean"}}), 1), ElementsAre((3 * 2000 + 3000) / 4, 5000));
  EXPECT_NEAR(make_motif("tealeaf", jacobi(2))->traffic(1).compute_s, 7.25e-6, 1e-15);
}

TEST_F(Reductions, TheEndsOfASingleIterationAreTheTimeBeforeIt) {
  write_pairs(1, 1000, 0, 2000);
  EXPECT_THAT(waits_of(jacobi(2), 1), ElementsAre(3000, 5000));
}

TEST_F(Reductions, AListOfSeveralIterationsComputesBetweenThemAsTheProgramDid) {
  write_pairs(4, 2000, 2000, 0);
  EXPECT_THAT(waits_of(jacobi(6), 1), ElementsAre(2000, 5000, 2000, 5000, 2000, 5000));
}

TEST_F(Reductions, TakeTheMeasuredTimesInTurn) {
  write_spread();
  const std::vector<std::int64_t> times = waits_of(jacobi(1), 22);
  EXPECT_EQ(sum(times), 2 * 14'100);
  EXPECT_GT(*std::ranges::max_element(times), 3000);
  EXPECT_TRUE(std::equal(times.begin() + 11, times.end(), times.begin()));
  EXPECT_NE(waits_of(jacobi(1), 22, 2), times);
}

TEST_F(Reductions, TakeTheSameTimesInOneGoAsOneByOne) {
  write_spread();
  EXPECT_EQ(waits_of(jacobi(1, {{"iterations", "4"}}), 12), waits_of(jacobi(1), 12));
  // Two of them in an iteration take two times.
  EXPECT_EQ(waits_of(jacobi(2, {{"iterations", "3"}}), 6), waits_of(jacobi(1), 12));
}

TEST_F(Reductions, TakeTheMeanEachTimeWhereThatIsAskedFor) {
  write_spread();
  EXPECT_THAT(waits_of(jacobi(1, {{"gaps", "mean"}}), 3), testing::Each(std::llround(14'100 / 11.0)));
}

TEST_F(Reductions, ScaleTheTimes) {
  write_spread();
  EXPECT_EQ(sum(waits_of(jacobi(1, {{"scale", "3"}}), 11)), 3 * 14'100);
}

TEST_F(Reductions, LeaveComputationOut) {
  write_spread();
  for (const Options& options : {Options{{"compute", "off"}}, Options{{"scale", "0"}}}) {
    const MotifBench bench(group_, "tealeaf", jacobi(1, options));
    EXPECT_THAT(performed(*bench).tokens, ElementsAre("Allreduce[SUM]:8@1"));
  }
}

TEST_F(Reductions, SpinWhereTheTimeIsTooShortToSleep) {
  write_pairs(2, 5000, 5000, 0);
  EXPECT_THAT(waits_of(jacobi(2, {{"compute", "sleep"}}), 1), ElementsAre(5000, 5000));
}

TEST_F(Reductions, ComputeNothingInAMotifThatMakesNoCall) {
  write_pairs(2, 5000, 5000, 0);
  const Options transform{{"nx", "20"}, {"call", "pairwise"}};  // on one rank, all of it is computation
  EXPECT_THAT(performed("fft2d", transform).tokens, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(performed("fft2d", with(transform, from_trace)).tokens, testing::IsEmpty());
}

TEST_F(Reductions, RepeatTimesWhereARegionHasMoreThanAreKept) {
  Part part = recorded({"Allreduce"}, 2, [](int) { return 100; });
  part.gaps = Json::array({gap_of(-1, 0, 1, 100), gap_of(0, 0, 1, 300)});
  part.tail_s = 0;
  write({part});
  const MotifBench bench(group_, "tealeaf", jacobi(1, {{"iterations", "70001"}}));
  std::int64_t total = 0;
  for (int i = 0; i < 70'000; ++i) total += sum(waits(*bench));
  EXPECT_EQ(total, 70'000 * 200);
}

// --gaps sequence
const Options in_sequence{{"gaps-from", path}, {"gaps", "sequence"}};

// The halo of two ranks in so many iterations, with times that tell rank, iteration and position.
Part timed_halo(int rank, std::int64_t iterations) {
  Part part = recorded({"Isend", "Irecv", "Waitall", "Waitall"}, iterations, [](int) { return 100; });
  part.tail_s = 0;
  for (std::int64_t k = 0; k < iterations; ++k) {
    for (int position = 0; position < 4; ++position) part.gap_times_ns.push_back(1000 * (k + 1) + 10 * position + rank);
  }
  return part;
}

TEST_F(HaloOfTwo, ComputesInEachIterationAsTheProgramDidInIt) {
  write({timed_halo(0, 3), timed_halo(1, 3)});
  const MotifBench bench(group_, "halo2d", with(small, in_sequence));
  for (std::uint64_t execution = 0; execution < 7; ++execution) {
    bench->prepare(execution);
    const std::int64_t first = 1000 * (static_cast<std::int64_t>(execution % 3) + 1) + rank();
    EXPECT_THAT(waits(*bench), ElementsAre(first, first + 10, first + 20, first + 30));
  }
}

TEST_F(HaloOfTwo, ComputesInTheIterationsOfARegionOneAfterAnother) {
  write({timed_halo(0, 3), timed_halo(1, 3)});
  const MotifBench bench(group_, "halo2d", with(with(small, in_sequence), {{"iterations", "2"}, {"scale", "2"}}));
  bench->prepare(2);
  EXPECT_EQ(waits(*bench).front(), 2 * (3000 + rank()));
  EXPECT_EQ(waits(*bench).front(), 2 * (1000 + rank()));
  bench->prepare(4);
  EXPECT_EQ(waits(*bench).front(), 2 * (2000 + rank()));
}

TEST_F(HaloOfTwo, UsesAsManyIterationsAsTheRankWithFewest) {
  Part cut = timed_halo(1, 3);
  cut.gap_times_ns.resize(11);
  write({timed_halo(0, 3), cut});
  const MotifBench bench(group_, "halo2d", with(small, in_sequence));
  bench->prepare(2);
  EXPECT_EQ(waits(*bench).front(), 1000 + rank());
}

TEST_F(HaloOfTwo, TestsDuringComputationOnlyInIterationsInWhichTheProgramsTestFailed) {
  std::vector<Part> parts;
  for (int r = 0; r < 2; ++r) {
    Part part = timed_halo(r, 2);
    part.calls.push_back({{"op", "Testall"}, {"n", 1}, {"site", 4}});
    const Json failed = Json::array({{0, 1}, {1, 1}, {2, 1}, {3, 1}});
    const Json succeeded = Json::array({{0, 1}, {1, 1}, {4, 1}, {3, 1}});
    part.rules = Json::array({Json::array({{-1, 1}, {-2, 1}}), failed, succeeded});
    part.gaps.push_back(gap_of(1, 4, 1, 100));
    part.gaps.push_back(gap_of(4, 3, 1, 100));
    parts.push_back(part);
  }
  write(parts);
  capture::force_testall_result(capture::TestallResult::incomplete);
  const MotifBench bench(group_, "halo2d", with(small, in_sequence));
  bench->prepare(0);
  EXPECT_THAT(performed(*bench).tests, ElementsAre("7:Testall(2)"));
  bench->prepare(1);  // its first computation writes what the first iteration sent, and reads the clock once more
  EXPECT_THAT(performed(*bench).tests, ElementsAre("9:Testall(2)"));
}

TEST_F(HaloOfTwo, IsRefusedWithoutTimesInSequence) {
  Part untimed = timed_halo(1, 2);
  untimed.gap_times_ns.resize(3);
  write({timed_halo(0, 2), untimed});
  EXPECT_EQ(
      rejection("halo2d", with(small, in_sequence)),
      "--gaps-from: 'gaps_from_test.trace', rank 1: the trace has the times before 3 calls in order, and an iteration "
      "4 calls; `stressbench capture --gap-times` keeps such times");
}

TEST_F(HaloOfTwo, IsRefusedInSequenceWhereALaterIterationMakesOtherCalls) {
  Part other = timed_halo(1, 2);
  other.rules = Json::array({Json::array({{-1, 1}, {-2, 1}}), Json::array({{0, 1}, {1, 1}, {2, 1}, {3, 1}}),
                             Json::array({{0, 1}, {0, 1}, {2, 1}, {3, 1}})});
  other.gaps.push_back(gap_of(0, 0, 1, 100));
  other.gaps.push_back(gap_of(0, 2, 1, 100));
  write({timed_halo(0, 2), other});
  EXPECT_EQ(rejection("halo2d", with(small, in_sequence)),
            "--gaps-from: 'gaps_from_test.trace', rank 1, call 5: the trace has Isend, the motif calls Irecv");
}

TEST_F(HaloOfTwo, AllocatesNothingWhileItComputesInSequence) {
  write({timed_halo(0, 3), timed_halo(1, 3)});
  MotifBench bench(group_, "halo2d", with(with(small, in_sequence), {{"iterations", "2"}}));
  bench->prepare(0);
  const std::int64_t before = allocations();
  for (int i = 0; i < 2; ++i) bench.perform();
  EXPECT_EQ(allocations() - before, 0);
}

TEST_F(Reductions, InSequenceTheEndsOfTheTraceAreTheTimeBeforeItsFirstCall) {
  Part part = recorded({"Allreduce", "Allreduce"}, 2, [](int) { return 5000; });
  part.tail_s = 400e-9;
  part.gap_times_ns = {1, 20, 300, 4000};
  write({part});
  EXPECT_THAT(waits_of(jacobi(2, {{"gaps", "sequence"}}), 2), ElementsAre(401, 20, 300, 4000));
}

TEST_F(Reductions, InSequenceAMotifWithoutCallsComputesNothing) {
  Part part = recorded({"Allreduce"}, 2, [](int) { return 5000; });
  part.gap_times_ns = {1, 2};
  write({part});
  EXPECT_THAT(performed("fft2d", with({{"nx", "20"}, {"call", "pairwise"}}, in_sequence)).tokens, testing::IsEmpty());
}

TEST_F(Reductions, ComputeTakesTheTimesBeforeACallInTurn) {
  Part part = recorded({"Barrier", "Allreduce"}, 3, [](int) { return 100; });
  part.gap_times_ns = {1, 20, 300, 4000, 50'000, 600'000};
  part.tail_s = 0;
  write({part});
  const auto times = [&](const char* call) {
    const MotifBench bench(group_, "compute", with(in_sequence, {{"call", call}}));
    std::vector<std::int64_t> found;
    for (std::uint64_t execution = 0; execution < 4; ++execution) {
      bench->prepare(execution);
      found.push_back(waits(*bench).front());
    }
    return found;
  };
  EXPECT_THAT(times("0"), ElementsAre(1, 300, 50'000, 1));
  EXPECT_THAT(times("1"), ElementsAre(20, 4000, 600'000, 20));
  // The same call after another one is another place.
  part.rules = Json::array({Json::array({{-1, 2}}), Json::array({{0, 1}, {1, 2}})});
  part.gaps = Json::array({gap_of(-1, 0, 1, 100), gap_of(0, 1, 2, 100), gap_of(1, 1, 2, 100), gap_of(1, 0, 1, 100)});
  write({part});
  EXPECT_THAT(times("1"), ElementsAre(20, 50'000, 20, 50'000));
  EXPECT_THAT(times("2"), ElementsAre(300, 600'000, 300, 600'000));
}

// compute --gaps-from
TEST_F(GapsFromTrace, ComputeTakesTheTimeBeforeOneCall) {
  std::vector<Part> parts;
  for (int r = 0; r < ranks(); ++r) {
    parts.push_back(recorded({"Barrier", "Allreduce", "Bcast"}, 3, [r](int k) { return distinct(r, k); }));
  }
  write(parts);
  const auto wait_before = [&](const char* call) {
    const MotifBench bench(group_, "compute", {{"gaps-from", path}, {"call", call}});
    EXPECT_THAT(performed(*bench).tokens, ElementsAre("t", testing::_));
    return waits(*bench);
  };
  for (int k = 0; k < 3; ++k) EXPECT_THAT(wait_before(std::to_string(k).c_str()), ElementsAre(distinct(rank(), k)));
  EXPECT_THAT(wait_before("4"), ElementsAre(distinct(rank(), 1)));
  const double mean = make_motif("compute", {{"gaps-from", path}, {"call", "2"}})->traffic(ranks()).compute_s;
  EXPECT_NEAR(mean, (static_cast<double>(distinct(0, 2)) + (ranks() - 1) / 2.0) * 1e-9, 1e-15);
}

TEST_F(Reductions, AreComputedBeforeByTheMotifComputeInTheSameTimes) {
  write_spread();
  const MotifBench bench(group_, "compute", {{"gaps-from", path}});
  std::vector<std::int64_t> times;
  for (std::uint64_t i = 0; i < 11; ++i) {
    bench->prepare(i);
    times.push_back(waits(*bench).front());
  }
  EXPECT_EQ(times, waits_of(jacobi(1), 11));
}

}  // namespace
}  // namespace stressbench::test
