// The meaning of the workload language; its mistakes are in workload_mistakes_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload_fixture.hpp"

namespace stressbench::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const MotifCall& first_motif(const Workload& workload) { return std::get<MotifCall>(workload.jobs.at(0).steps.at(0)); }

std::string value_of(const Workload& workload) { return first_motif(workload).options.at(0).value.value_or("(none)"); }

TEST(WorkloadLanguage, EveryKeyOfAJobIsRead) {
  const Workload workload = load_text(
      "[JOB_NAME] A\n[NID_LIST] 0-3,8,10-14:2\n[RANKS_PER_NODE] 4\n[SHARED] yes\n[ROLE] measured\n[REPEAT] 2k\n"
      "[MIN_TIME] 30s\n[LOAD] 30%\n[RATE] 200MB\n[MOTIF] allreduce\n"
      "[JOB_NAME] B\n[NODES] 16\n[ROLE] congestor\n[MOTIF] allreduce\n"
      "[JOB_NAME] C\n[NODES] 16\n[ROLE] background\n[MOTIF] allreduce\n");
  const Job& a = workload.jobs.at(0);
  EXPECT_THAT(*a.nodes, ElementsAre(0, 1, 2, 3, 8, 10, 12, 14));
  EXPECT_EQ(a.ranks_per_node, 4);
  EXPECT_TRUE(a.shared);
  EXPECT_EQ(a.role, Role::measured);
  EXPECT_EQ(a.repeat, 2000);
  EXPECT_EQ(a.min_time->value, 30'000'000'000);
  EXPECT_EQ(a.load, 0.3);
  EXPECT_EQ(a.rate, Bytes{200'000'000});
  const Job& b = workload.jobs.at(1);
  EXPECT_EQ(b.node_count, 16);
  EXPECT_EQ(b.role, Role::background);
  EXPECT_EQ(workload.jobs.at(2).role, Role::background) << "the former name";
  EXPECT_EQ(b.repeat, std::nullopt);
  EXPECT_EQ(b.min_time, std::nullopt);
  EXPECT_EQ(b.load, std::nullopt);
  EXPECT_EQ(b.rate, std::nullopt);
}

TEST(WorkloadLanguage, ALineWithoutAKeyContinuesTheOneBefore) {
  const Workload workload =
      load_text("[JOB_NAME] A\n[NID_LIST] 1,\n# a comment\n\n  2 ,\n3\n[MOTIF] halo2d\n-x 5\n\n-y 6\n");
  EXPECT_THAT(*workload.jobs[0].nodes, ElementsAre(1, 2, 3));
  EXPECT_EQ(first_motif(workload).options.size(), 2U);
}

TEST(WorkloadLanguage, ACommentBeginsAtAHashThatBeginsAWord) {
  const Workload workload = load_text("# head\n[JOB_NAME] A# # tail\n[NODES] 2 # two\n[MOTIF] mpiio -f out#1 # end\n");
  EXPECT_EQ(workload.jobs[0].name, "A#");
  EXPECT_EQ(value_of(workload), "out#1");
}

TEST(WorkloadLanguage, LineEndsOfWindowsTabsAByteOrderMarkAndNoLastNewlineAreRead) {
  const Workload plain = load_text(job);
  EXPECT_EQ(load_text("\xEF\xBB\xBF[JOB_NAME]\tA\r\n\t[NODES] 2\r\n\r\n[MOTIF]allreduce \t"), plain);
}

TEST(WorkloadLanguage, QuotesKeepBlanksAndBackslashKeepsQuotes) {
  const std::string head = "[JOB_NAME] \"two words\"\n[NODES] 2\n[MOTIF] mpiio -f ";
  EXPECT_EQ(load_text(head + "\"/a b/c\"\n").jobs[0].name, "two words");
  EXPECT_EQ(value_of(load_text(head + "\"/a b/c\"\n")), "/a b/c");
  EXPECT_EQ(value_of(load_text(head + "/a\" \"b\n")), "/a b");
}

TEST(WorkloadLanguage, BackslashInQuotesEscapesQuoteBackslashAndDollarOnly) {
  const std::string head = "[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f ";
  EXPECT_EQ(value_of(load_text(head + R"("\"\\\${x}\n")")), R"("\${x}\n)");
  EXPECT_EQ(value_of(load_text(head + "a$b\\c")), "a$b\\c");
}

TEST(WorkloadLanguage, OptionsTakeTheirValueAsTheNextWordOrAfterEquals) {
  EXPECT_EQ(value_of(load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] halo2d --columns=5\n")), "5");
  EXPECT_EQ(value_of(load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] halo2d --columns 5\n")), "5");
  EXPECT_EQ(value_of(load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio --file=a=b\n")), "a=b");
  EXPECT_EQ(value_of(load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] allreduce --in-place -c 2\n")), "(none)");
}

TEST(WorkloadLanguage, AQuotedValueMayLookLikeAnOption) {
  EXPECT_EQ(value_of(load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f \"-odd\"\n")), "-odd");
}

TEST(WorkloadLanguage, LoopsNestAndMultiply) {
  const Workload workload = load_text(
      "[JOB_NAME] A\n[NODES] 2\n[LOOP] 10\n  [MOTIF] allreduce\n  [LOOP] 3\n    [MOTIF] compute\n  [END]\n[END]\n"
      "[MOTIF] halo2d\n");
  std::vector<std::string> executions;
  for_each_motif(workload.jobs[0], [&](const MotifCall& call, std::int64_t times) {
    executions.push_back(call.name + " " + std::to_string(times));
  });
  EXPECT_THAT(executions, ElementsAre("allreduce 10", "compute 30", "halo2d 1"));
}

TEST(WorkloadLanguage, VariablesArePutInAsOneValue) {
  const std::string text =
      "[SET] nodes=0-3\n[SET] path=\"/a b\"\n[SET] deep=${path}/c\n"
      "[JOB_NAME] A\n[NID_LIST] ${nodes},8\n[MOTIF] mpiio -f ${deep} -s ${size}KiB\n";
  const Workload workload = load_text("[SET] size=4\n" + text);
  EXPECT_THAT(*workload.jobs[0].nodes, ElementsAre(0, 1, 2, 3, 8));
  EXPECT_EQ(first_motif(workload).options[0].value, "/a b/c");
  EXPECT_EQ(first_motif(workload).options[1].value, "4KiB");
}

TEST(WorkloadLanguage, TheCommandLineOverridesAndMayAddVariables) {
  const std::string text = "[SET] n=2\n[JOB_NAME] A\n[NODES] ${n}\n[MOTIF] mpiio -f ${path}\n";
  const Workload workload = load_text(text, std::nullopt, {{"n", "7"}, {"path", "p"}});
  EXPECT_EQ(workload.jobs[0].node_count, 7);
  EXPECT_EQ(value_of(workload), "p");
}

TEST(WorkloadLanguage, ALaterSetReplacesAnEarlierOneFromThereOn) {
  const Workload workload = load_text(
      "[SET] n=2\n[JOB_NAME] A\n[NODES] ${n}\n[MOTIF] allreduce\n[SET] n=3\n[JOB_NAME] B\n[NODES] ${n}\n[MOTIF] "
      "allreduce\n");
  EXPECT_EQ(workload.jobs[0].node_count, 2);
  EXPECT_EQ(workload.jobs[1].node_count, 3);
}

TEST(WorkloadLanguage, IncludesAreRelativeToTheIncludingFile) {
  const Files files = {{"w.sb", "[INCLUDE] parts/a.sb\n"},
                       {"parts/a.sb", "[INCLUDE] ../b.sb\n[JOB_NAME] A\n[NODES] ${n}\n[INCLUDE] c.sb\n"},
                       {"b.sb", "[SET] n=5\n"},
                       {"parts/c.sb", "[MOTIF] allreduce\n"}};
  const Workload workload = load("w.sb", reader(files), FakeCatalogue{}, std::nullopt);
  EXPECT_EQ(workload.jobs.at(0).node_count, 5);
  EXPECT_EQ(first_motif(workload).name, "allreduce");
}

TEST(WorkloadLanguage, AFileMayBeIncludedTwiceButNotByItself) {
  const Files files = {{"w.sb", "[JOB_NAME] A\n[NODES] 2\n[INCLUDE] c.sb\n[INCLUDE] c.sb\n"},
                       {"c.sb", "[MOTIF] compute\n"}};
  EXPECT_EQ(load("w.sb", reader(files), FakeCatalogue{}, std::nullopt).jobs[0].steps.size(), 2U);
}

TEST(WorkloadLanguage, AnExplicitJobMayShareANodeWhenBothSaySoAndTheirRanksFit) {
  const std::string text =
      "[JOB_NAME] A\n[NID_LIST] 0,1\n[SHARED] yes\n[RANKS_PER_NODE] 12\n[MOTIF] mpiio -m 24\n"
      "[JOB_NAME] B\n[NID_LIST] 1\n[SHARED] yes\n[RANKS_PER_NODE] 4\n[MOTIF] mpiio -m 4\n";
  EXPECT_THAT(mistakes(text, Machine::uniform(2, 16)), IsEmpty());
}

TEST(WorkloadLanguage, RanksFollowFromNodesThatDiffer) {
  const Machine uneven{{1, 2, 4, 8}};
  EXPECT_THAT(mistakes("[JOB_NAME] A\n[NID_LIST] 1,3\n[MOTIF] mpiio -m 10\n"
                       "[JOB_NAME] B\n[NODES] 2\n[MOTIF] mpiio -m 5\n",
                       uneven),
              IsEmpty());
  EXPECT_THAT(mistakes("[JOB_NAME] A\n[NID_LIST] 1,3\n[MOTIF] allreduce\n"
                       "[JOB_NAME] B\n[NODES] 2\n[MOTIF] mpiio -m 4\n",
                       uneven),
              ElementsAre("6:18: --ranks: 4 is not the job's number of ranks, 5"));
}

TEST(WorkloadLanguage, AKnownNumberOfRanksIsCheckedWithoutAMachine) {
  EXPECT_THAT(mistakes("[JOB_NAME] A\n[NODES] 2\n[RANKS_PER_NODE] 3\n[MOTIF] mpiio -m 7\n"),
              ElementsAre("4:18: --ranks: 7 is not the job's number of ranks, 6"));
}

TEST(WorkloadLanguage, AMotifIsConfiguredFromItsCall) {
  const Workload workload = load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] HALO2D -x 7\n");
  const auto pattern = FakeCatalogue{}.make_pattern(first_motif(workload).name);
  configure(*pattern, first_motif(workload));
  EXPECT_EQ(pattern->find("-x")->text(), "7");
}

// An environment in which SCRATCH is /s and every other variable /other.
std::vector<Setting> environment() {
  return environment_settings([](const char* name) { return std::string_view(name) == "SCRATCH" ? "/s" : "/other"; });
}

TEST(WorkloadLanguage, ScratchAndTmpdirComeFromTheEnvironmentAndNothingElseDoes) {
  const auto path_of = [](const std::string& word) {
    return value_of(load_text("[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f " + word + "\n", {}, environment()));
  };
  EXPECT_EQ(path_of("${SCRATCH}/out"), "/s/out");
  EXPECT_EQ(path_of("${TMPDIR}/out"), "/other/out");
  EXPECT_THAT(mistakes("[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f ${HOME}/out\n", {}, environment()),
              ElementsAre("3:18: variable 'HOME' is not set"));
}

TEST(WorkloadLanguage, TheWorkloadWinsOverTheEnvironmentAndTheCommandLineOverBoth) {
  const std::string text = "[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f ${SCRATCH}/out\n";
  std::vector<Setting> settings = environment();
  EXPECT_EQ(value_of(load_text("[SET] SCRATCH=/mine\n" + text, {}, settings)), "/mine/out");
  settings.insert(settings.begin(), {"SCRATCH", "/typed"});
  EXPECT_EQ(value_of(load_text(text, {}, settings)), "/typed/out");
  EXPECT_EQ(value_of(load_text("[SET] SCRATCH=/mine\n" + text, {}, settings)), "/typed/out");
}

TEST(WorkloadLanguage, TheCommandLineMayNameTheEnvironment) {
  const std::string text = "[SET] f=here\n[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f ${f}\n";
  std::vector<Setting> settings = environment();
  settings.push_back({"f", "${SCRATCH}/a${TMPDIR}/b${SCRATCH}"});
  EXPECT_EQ(value_of(load_text(text, {}, settings)), "/s/a/other/b/s");
}

TEST(WorkloadLanguage, AnEnvironmentThatNothingUsesIsNoMistake) {
  EXPECT_THAT(mistakes(job, {}, environment()), IsEmpty());
}

TEST(WorkloadLanguage, WhatIsEmptyOrNoLineOfTextInTheEnvironmentIsNotThere) {
  for (const char* value : {"", "/a\nb", "/a\x01"}) {
    EXPECT_TRUE(environment_settings([&](const char*) { return value; }).empty()) << value;
  }
  EXPECT_TRUE(environment_settings([](const char*) -> const char* { return nullptr; }).empty());
}

TEST(WorkloadLanguage, SettingsOfTheCommandLineAreNameAndValue) {
  EXPECT_EQ(parse_setting("a=b=c").value, "b=c");
  EXPECT_EQ(parse_setting("a=").value, "");
  EXPECT_THROW(parse_setting("a"), UserMistake);
  EXPECT_THROW(parse_setting("1a=b"), UserMistake);
}

}  // namespace
}  // namespace stressbench::workload
