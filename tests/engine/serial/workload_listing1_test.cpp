// Listing 1 of the paper, and the messages if one thing in it is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload_fixture.hpp"

namespace stressbench::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Machine tinis = Machine::uniform(104, 16);

std::vector<std::string> with(const std::string& right, const std::string& wrong) {
  return mistakes(replaced(listing1, right, wrong), tinis);
}

TEST(Listing1, PassesAsPrinted) { EXPECT_THAT(mistakes(listing1, tinis), IsEmpty()); }

TEST(Listing1, IsReadInFull) {
  const Workload workload = load_text(listing1, tinis);
  ASSERT_EQ(workload.jobs.size(), 1U);
  const Job& tealeaf = workload.jobs[0];
  EXPECT_EQ(tealeaf.name, "TeaLeaf_CG");
  EXPECT_THAT(*tealeaf.nodes, ElementsAre(6, 9, 17, 18, 33, 41, 58, 67, 72, 75, 83, 84, 87, 90, 102, 103));
  std::vector<std::string> names;
  for_each_motif(tealeaf, [&](const MotifCall& call, std::int64_t) { names.push_back(call.name); });
  EXPECT_THAT(names, ElementsAre("allreduce", "compute", "allreduce", "compute", "halo2d", "mpiio"));
  const auto& mpiio = std::get<MotifCall>(tealeaf.steps[5]);
  std::vector<std::string> options;
  for (const Option& option : mpiio.options) options.push_back(option.name + "=" + *option.value);
  EXPECT_THAT(options,
              ElementsAre("size=1500000", "iterations=1", "ranks=256", "file=<file_path>", "call=MPI_File_write_all"));
}

TEST(Listing1, DoesNotFitOn100Nodes) {
  EXPECT_THAT(mistakes(listing1, Machine::uniform(100, 16)), ElementsAre("4:19: nodes 102,103 do not exist"));
}

TEST(Listing1, RefusesTheWrongNumberOfRanks) {
  EXPECT_THAT(with("-m 256", "-m 255"), ElementsAre("10:34: --ranks: 255 is not the job's number of ranks, 256"));
}

TEST(Listing1, RefusesARepeatedNode) {
  EXPECT_THAT(with("102,103", "102,102"), ElementsAre("4:23: node 102 is named more than once"));
}

TEST(Listing1, RefusesAnUnknownMotif) {
  EXPECT_THAT(with("halo2d", "halo2"), ElementsAre("9:9: 'halo2' is not a motif"));
}

TEST(Listing1, RefusesAnUnknownOption) {
  EXPECT_THAT(with("-y 4000", "-y 4000 -q 1"), ElementsAre("9:32: halo2d has no option '-q'"));
}

TEST(Listing1, RefusesAMissingValue) {
  EXPECT_THAT(with("-x 4000 -y", "-x -y"), ElementsAre("9:16: '-x' needs a value"));
  EXPECT_THAT(with("-y 4000", "-y"), ElementsAre("9:24: '-y' needs a value"));
}

TEST(Listing1, RefusesARangeThatRunsBackwards) {
  EXPECT_THAT(with("6,9,", "7-5,9,"), ElementsAre("2:12: [NID_LIST] '7-5' is a range in descending order; write 5-7"));
}

TEST(Listing1, RefusesTwoJobsOnOneNode) {
  EXPECT_THAT(mistakes(listing1 + "[JOB_NAME] Other\n[NID_LIST] 0-5,6\n[MOTIF] AllReduce\n", tinis),
              ElementsAre("14:16: node 6 belongs to job 'TeaLeaf_CG' (line 1)"));
}

TEST(Listing1, AMistakeIsShownWithItsLineAndASuggestion) {
  EXPECT_EQ(diagnostics_of(replaced(listing1, "halo2d", "halo2"), tinis),
            "w.sb:9:9: error: 'halo2' is not a motif\n"
            "  [MOTIF] halo2 -x 4000 -y 4000\n"
            "          ~~~~^\n"
            "  did you mean 'halo2d'?");
}

}  // namespace
}  // namespace stressbench::workload
