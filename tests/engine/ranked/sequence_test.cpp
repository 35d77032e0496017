// The exact sequence of calls that a motif makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expected_calls.hpp"

namespace stressbench::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Reference profiles; described in tests/reference/README.md.
const auto reference_folder = std::filesystem::path(STRESSBENCH_CHECKOUT) / "tests" / "reference";

// The calls of one perform of each motif, in order, on this rank.
capture::Record calls_of(const std::vector<MotifBench*>& chain) {
  capture::start();
  for (MotifBench* bench : chain) bench->perform();
  return capture::stop();
}

class TeaLeafReference : public testing::Test {
 protected:
  void TearDown() override { capture::force_testall_result(capture::TestallResult::honest); }
};

TEST_F(TeaLeafReference, IterationOfConjugateGradientsIsTheOneCaptured) {
  const int ranks = world_size();
  if (ranks != 2 && ranks != 4 && ranks != 8) GTEST_SKIP() << "there are references for 2, 4 and 8 ranks";
  const auto file = reference_folder / ("tealeaf_cg_4000x4000_p" + std::to_string(ranks) + ".json");
  ASSERT_TRUE(std::filesystem::exists(file)) << file;
  const auto profile = nlohmann::json::parse(std::ifstream(file));
  const std::string expected = profile["sequence_all_ranks"][std::to_string(world_rank())];
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  const mpi::Group reduction_group = world.duplicate();
  const mpi::Group halo_group = world.duplicate();
  MotifBench reduction(reduction_group, "allreduce");
  MotifBench halo(halo_group, "halo2d", {{"-x", "4000"}, {"-y", "4000"}});
  capture::force_testall_result(
      capture::TestallResult::incomplete);  // as in the captured run, where messages were still being transferred

  const auto record = calls_of({&reduction, &reduction, &halo});

  EXPECT_EQ(capture::joined(record.tokens), expected);
  EXPECT_EQ(record.tests.size(), 1u);
}

TEST_F(TeaLeafReference, RowsAreNotWaitedForAgainWhenTheTestFoundThemComplete) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  MotifBench halo(group, "halo2d");
  capture::force_testall_result(capture::TestallResult::complete);

  const auto record = calls_of({&halo});

  EXPECT_THAT(record.tests, ElementsAre("2:Testall(2)"));
  EXPECT_EQ(record.tokens.size(), 5u);  // two exchanges, one wait
  EXPECT_EQ(record.tokens.back(), "Wa(2)");
}

TEST_F(TeaLeafReference, DeepHalosEndAcrossBeforeTheyStartDown) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  MotifBench halo(group, "halo2d", {{"columns", "11"}, {"rows", "7"}, {"depth", "2"}, {"fields", "3"}});

  const auto record = calls_of({&halo});

  // left/right 8 * 3 fields * 2 deep * (4 or 3 rows + 4); bottom/top 48 * (6 or 5 columns + 4)
  const std::vector<std::string> expected{"Is>2:2:384 Ir<2:1:384 Wa(2) Is>1:4:480 Ir<1:3:480 Wa(2)",
                                          "Is>3:2:336 Ir<3:1:336 Wa(2) Is>0:3:480 Ir<0:4:480 Wa(2)",
                                          "Is>0:1:384 Ir<0:2:384 Wa(2) Is>3:4:432 Ir<3:3:432 Wa(2)",
                                          "Is>1:1:336 Ir<1:2:336 Wa(2) Is>2:3:432 Ir<2:4:432 Wa(2)"};
  EXPECT_EQ(capture::joined(record.tokens), expected[static_cast<std::size_t>(group.rank())]);
  EXPECT_THAT(record.tests, IsEmpty());
}

TEST_F(TeaLeafReference, GridIsThatOfTheLibraryWhereTheLibraryKeepsToTheStandard) {
  for (int ranks = 1; ranks <= 71; ++ranks) {  // Open MPI 4.1 divides 72 into 12x6
    std::array<int, 2> dims{0, 0};
    MPI_Dims_create(ranks, 2, dims.data());
    const auto halo = make_motif("halo2d");
    const auto given = make_motif("halo2d", {{"grid", std::to_string(dims[0]) + "x" + std::to_string(dims[1])}});
    EXPECT_EQ(halo->traffic(ranks).messages, given->traffic(ranks).messages) << ranks;
    EXPECT_EQ(halo->traffic(ranks).message_bytes, given->traffic(ranks).message_bytes) << ranks;
  }
}

class Sequences : public testing::TestWithParam<ExpectedCalls> {};

TEST_P(Sequences, HoldTheCallsUnderTestOnly) { expect_calls(GetParam()); }

// Whether the time of each rank counts.
struct Watchdog {
  std::string motif;
  Options options;
  std::vector<bool> is_timed;
};

TEST(Observers, AreTheRanksWhoseTimeIsThePatterns) {
  if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  const mpi::Group group = first_ranks(3);
  if (!group) return;
  const std::vector<Watchdog> watches{{"allreduce", {}, {true, true, true}},
                                      {"halo2d", {}, {true, true, true}},
                                      {"pingpong", {}, {true, false, false}},
                                      {"pingpong", {{"timer", "loop"}}, {true, true, false}},
                                      {"incast", {{"root", "1"}}, {false, true, false}}};
  for (const auto& [name, options, is_timed] : watches) {
    const MotifBench bench(group, name, options);
    EXPECT_EQ(bench->is_timed(), is_timed[static_cast<std::size_t>(group.rank())]) << name;
  }
}

const std::string scratch = "sequence_test.out";

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, Sequences,
    testing::Values(
        ExpectedCalls{"allreduce",
                      {{"count", "5"}, {"type", "int"}, {"op", "min"}},
                      {"Allreduce[MIN]:20@2", "Allreduce[MIN]:20@2"}},
        ExpectedCalls{"alltoall", {{"size", "10"}}, {"Alltoall:10@2", "Alltoall:10@2"}},
        ExpectedCalls{"alltoall", {{"size", "10"}, {"call", "alltoallv"}}, {"Alltoallv:20@2", "Alltoallv:20@2"}},
        ExpectedCalls{
            "alltoall",
            {{"size", "9"}, {"call", "pairwise"}},
            {"Ir<2:1:9 Is>1:1:9 Wa(2) Ir<1:1:9 Is>2:1:9 Wa(2)", "Ir<0:1:9 Is>2:1:9 Wa(2) Ir<2:1:9 Is>0:1:9 Wa(2)",
             "Ir<1:1:9 Is>0:1:9 Wa(2) Ir<0:1:9 Is>1:1:9 Wa(2)"}},
        ExpectedCalls{"pingpong", {{"size", "8"}}, {"S>1:1:8 R<1:1:8", "R<0:1:8 S>0:1:8"}},
        ExpectedCalls{"pingpong", {{"size", "8"}}, {"S>1:1:8 R<1:1:8", "R<0:1:8 S>0:1:8", ""}},
        ExpectedCalls{"pingpong",
                      {{"size", "7"}, {"pairs", "halves"}},
                      {"S>2:1:7 R<2:1:7", "S>3:1:7 R<3:1:7", "R<0:1:7 S>0:1:7", "R<1:1:7 S>1:1:7"}},
        ExpectedCalls{"incast", {{"size", "100"}}, {"Ir<1:1:100 Ir<2:1:100 Wa(2)", "S>0:1:100", "S>0:1:100"}},
        ExpectedCalls{"incast",
                      {{"size", "100"}, {"root", "2"}, {"senders", "2"}, {"spread", "0.5"}},
                      {"S>2:1:150", "", "Ir<3:1:50 Ir<0:1:150 Wa(2)", "S>2:1:50"}},
        ExpectedCalls{
            "incast", {{"size", "100"}, {"call", "gather"}, {"senders", "1"}}, {"Gather:0@2", "Gather:100@2", ""}},
        ExpectedCalls{"incast",
                      {{"size", "100"}, {"call", "gatherv"}, {"spread", "0.1"}},
                      {"Gatherv:0@3", "Gatherv:90@3", "Gatherv:110@3"}},
        ExpectedCalls{"halo2d", {}, {""}}, ExpectedCalls{"compute", {{"mean", "10"}}, {"", ""}},
        ExpectedCalls{"compute", {{"mean", "10"}, {"mode", "sleep"}}, {"", ""}},
        ExpectedCalls{
            "mpiio",
            {{"size", "10"}, {"file", scratch}, {"call", "MPI_File_write"}},
            {"File_open@2 File_seek:0 File_write:10 File_close", "File_open@2 File_seek:10 File_write:10 File_close"}},
        ExpectedCalls{"mpiio",
                      {{"size", "10"}, {"file", scratch}, {"call", "MPI_File_write_all"}, {"sync", ""}},
                      {"File_open@2 File_seek:0 File_write_all:10 File_sync File_close",
                       "File_open@2 File_seek:10 File_write_all:10 File_sync File_close"}},
        ExpectedCalls{"mpiio",
                      {{"size", "10"}, {"file", scratch}, {"call", "MPI_File_write_at"}},
                      {"File_open@2 File_write_at:0:10 File_close", "File_open@2 File_write_at:10:10 File_close"}},
        ExpectedCalls{
            "mpiio",
            {{"size", "10"}, {"file", scratch}, {"call", "MPI_File_write_at_all"}},
            {"File_open@2 File_write_at_all:0:10 File_close", "File_open@2 File_write_at_all:10:10 File_close"}}));

}  // namespace
}  // namespace stressbench::test
