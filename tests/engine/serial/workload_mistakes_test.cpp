// Every mistake gives exactly one message, at its place, and no follow-up messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload_fixture.hpp"

namespace stressbench::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> expected;
};

const std::string head = "[JOB_NAME] A\n[NODES] 2\n";
const std::string two_jobs =
    "[JOB_NAME] A\n[NID_LIST] 0,1\n[MOTIF] allreduce\n[JOB_NAME] B\n[NID_LIST] 1,2\n[MOTIF] allreduce\n";

void PrintTo(const Case& one, std::ostream* out) { *out << one.text; }

class OneMistake : public testing::TestWithParam<Case> {};

TEST_P(OneMistake, IsToldOnceAtItsPlace) {
  EXPECT_THAT(mistakes(GetParam().text, Machine::uniform(8, 4)), testing::ElementsAreArray(GetParam().expected));
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Keys, OneMistake,
    testing::Values(
        Case{"UnknownKeyIsReadAsTheNearest",
             "[JOBNAME] A\n[NODES] 2\n[MOTIFS] allreduce\n",
             {"1:1: [JOBNAME] is not a key", "3:1: [MOTIFS] is not a key"}},
        Case{"KeysAreUpperCase", "[job_name] A\n[NODES] 2\n[MOTIF] allreduce\n", {"1:1: [job_name] is not a key"}},
        Case{"UnknownKeyWithoutNeighbour", job + "[COLOUR] red\n and blue\n", {"4:1: [COLOUR] is not a key"}},
        Case{"KeyWithoutBracket", "[JOB_NAME A\n[NODES] 2\n[MOTIF] allreduce\n", {"1:1: ']' is missing"}},
        Case{"BlanksInBrackets",
             "[ JOB_NAME ] A\n[NODES] 2\n[MOTIF] allreduce\n",
             {"1:1: a key must have no blanks in its brackets"}},
        Case{"TextBeforeTheFirstKey", "hello\nworld\n" + job, {"1:1: 'hello' is before the first [KEY]"}},
        Case{"StatementsBeforeTheFirstJob",
             "[NODES] 2\n[MOTIF] x\n" + job,
             {"1:1: [NODES] is before the first [JOB_NAME]"}},
        Case{"KeyTwice", head + "[NODES] 3\n[MOTIF] allreduce\n", {"3:1: [NODES] is given twice in job 'A'"}},
        Case{"NoValue", "[JOB_NAME] A\n[NODES]\n[MOTIF] allreduce\n", {"2:1: [NODES] needs a value"}},
        Case{"TwoValues", "[JOB_NAME] A\n[NODES] 2 3\n[MOTIF] allreduce\n", {"2:11: [NODES] takes one value"}},
        Case{"NoName", "[JOB_NAME]\n[NODES] 2\n[MOTIF] allreduce\n", {"1:1: [JOB_NAME] needs a value"}},
        Case{"EmptyName", "[JOB_NAME] \"\"\n[NODES] 2\n[MOTIF] allreduce\n", {"1:12: [JOB_NAME] '' is empty"}},
        Case{"ZeroNodes", "[JOB_NAME] A\n[NODES] 0\n[MOTIF] allreduce\n", {"2:9: [NODES] '0' must be at least 1"}},
        Case{"NegativeNodes",
             "[JOB_NAME] A\n[NODES] -2\n[MOTIF] allreduce\n",
             {"2:9: [NODES] '-2' must be a whole number such as 4000, 4k or 2M"}},
        Case{"ZeroRepeat", job + "[REPEAT] 0\n", {"4:10: [REPEAT] '0' must be at least 1"}},
        Case{"ZeroRanks", job + "[RANKS_PER_NODE] 0\n", {"4:18: [RANKS_PER_NODE] '0' must be at least 1"}},
        Case{"TimeWithoutUnit",
             job + "[MIN_TIME] 30\n",
             {"4:12: [MIN_TIME] '30' must be a duration with its unit, such as 500ms, 30s, 10min or 2h"}},
        Case{"NoLoad", job + "[LOAD] 0\n", {"4:8: [LOAD] '0' must be greater than 0 and at most 100%"}},
        Case{"TooMuchLoad", job + "[LOAD] 101%\n", {"4:8: [LOAD] '101%' must be greater than 0 and at most 100%"}},
        Case{"NoRate", job + "[RATE] 0\n", {"4:8: [RATE] '0' must be greater than 0"}},
        Case{
            "NoBytes", job + "[RATE] fast\n", {"4:8: [RATE] 'fast' must be a size such as 4096, 32KiB, 1.5MiB or 4MB"}},
        Case{"ZeroTime", job + "[MIN_TIME] 0s\n", {"4:12: [MIN_TIME] '0s' must be greater than 0"}},
        Case{"UnknownRole",
             job + "[ROLE] backgroud\n",
             {"4:8: [ROLE] 'backgroud' must be measured or congestor or background"}},
        Case{"UnknownSharing", job + "[SHARED] maybe\n", {"4:10: [SHARED] 'maybe' must be yes or no"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Jobs, OneMistake,
    testing::Values(
        Case{"NoJob", "# nothing\n", {"0:0: no [JOB_NAME]: nothing would run"}},
        Case{"EmptyFile", "", {"0:0: no [JOB_NAME]: nothing would run"}},
        Case{"TwoJobNamesInARow",
             "[JOB_NAME] A\n" + replaced(job, "] A", "] B"),
             {"1:12: job 'A' has neither nodes nor motifs"}},
        Case{"SameName", job + job, {"4:12: job 'A' is named twice"}},
        Case{"NoMotif", head, {"1:12: job 'A' has no [MOTIF]"}},
        Case{"NoNodes", "[JOB_NAME] A\n[MOTIF] allreduce\n", {"1:12: job 'A' has neither [NID_LIST] nor [NODES]"}},
        Case{"BothNodes", job + "[NID_LIST] 4\n", {"2:1: job 'A' has both [NID_LIST] and [NODES]"}},
        Case{"RanksAreNotJudgedWithoutKnowingTheNodes",
             "[JOB_NAME] A\n[NODES] 2\n[NID_LIST] 4\n[MOTIF] mpiio -m 99\n",
             {"2:1: job 'A' has both [NID_LIST] and [NODES]"}},
        Case{"RanksAreNotJudgedWithoutKnowingThem",
             "[JOB_NAME] A\n[NODES] 2\n[RANKS_PER_NODE] x\n[MOTIF] mpiio -m 99\n",
             {"3:18: [RANKS_PER_NODE] 'x' must be a whole number such as 4000, 4k or 2M"}},
        Case{"OnlyBackground",
             job + "[ROLE] background\n",
             {"4:1: every job is a congestor: nothing would be measured"}},
        Case{"SharingNeedsAList",
             job + "[SHARED] yes\n[RANKS_PER_NODE] 1\n",
             {"4:1: [SHARED] needs [NID_LIST]: [NODES] gets nodes of its own"}},
        Case{"TooManyNodes",
             job + "[JOB_NAME] B\n[NODES] 7\n[MOTIF] allreduce\n",
             {"5:1: job 'B' asks for 7 nodes, 6 are left"}},
        Case{"TooManyNodesBesideAList",
             job + "[JOB_NAME] B\n[NID_LIST] 0-6\n[MOTIF] allreduce\n",
             {"2:1: job 'A' asks for 2 nodes, 1 is left"}},
        Case{"TooManyRanks", job + "[RANKS_PER_NODE] 5\n", {"4:1: [RANKS_PER_NODE] is 5, but node 0 has 4 ranks"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    NodeLists, OneMistake,
    testing::Values(Case{"EmptyItem",
                         "[JOB_NAME] A\n[NID_LIST] 1,,2\n[MOTIF] allreduce\n",
                         {"2:14: an item of the node list is empty before ','"}},
                    Case{"RanksAreNotJudgedAfterABadList",
                         "[JOB_NAME] A\n[NID_LIST] 1,,2\n[MOTIF] mpiio -m 99\n",
                         {"2:14: an item of the node list is empty before ','"}},
                    Case{"RanksAreNotJudgedAfterAMissingComma",
                         "[JOB_NAME] A\n[NID_LIST] 1 2\n[MOTIF] mpiio -m 99\n",
                         {"2:14: a comma is missing before '2'"}},
                    Case{"EmptyFirstItem",
                         "[JOB_NAME] A\n[NID_LIST] ,1\n[MOTIF] allreduce\n",
                         {"2:12: an item of the node list is empty before ','"}},
                    Case{"LastComma",
                         "[JOB_NAME] A\n[NID_LIST] 1,\n2,\n[MOTIF] allreduce\n",
                         {"3:2: an item of the node list is empty: it ends with a comma"}},
                    Case{"MissingComma",
                         "[JOB_NAME] A\n[NID_LIST] 1\n2\n[MOTIF] allreduce\n",
                         {"3:1: a comma is missing before '2'"}},
                    Case{"NotANode",
                         "[JOB_NAME] A\n[NID_LIST] 1,x,3-\n[MOTIF] allreduce\n",
                         {"2:14: [NID_LIST] 'x' must be a node such as 7, a range such as 0-15, or a range with a "
                          "stride such as 0-30:2",
                          "2:16: [NID_LIST] '3-' must be a node such as 7, a range such as 0-15, or a range with a "
                          "stride such as 0-30:2"}},
                    Case{"StrideZero",
                         "[JOB_NAME] A\n[NID_LIST] 0-4:0\n[MOTIF] allreduce\n",
                         {"2:12: [NID_LIST] '0-4:0' has stride 0; it must be at least 1"}},
                    Case{"HugeRange",
                         "[JOB_NAME] A\n[NID_LIST] 0-2147483647\n[MOTIF] allreduce\n",
                         {"2:12: [NID_LIST] '0-2147483647' names too many nodes; a workload may name 1048576 in all"}},
                    Case{"RepeatedInARange",
                         "[JOB_NAME] A\n[NID_LIST] 0-3,2,3\n[MOTIF] allreduce\n",
                         {"2:16: nodes 2,3 are named more than once"}},
                    Case{"OutsideInOneMessage",
                         "[JOB_NAME] A\n[NID_LIST] 99,0-11\n[MOTIF] mpiio -m 1\n",
                         {"2:12: nodes 8-11,99 do not exist"}},
                    Case{"TwoJobsOnANode", two_jobs, {"5:12: node 1 belongs to job 'A' (line 1)"}},
                    Case{
                        "NeitherSaysThatItShares",
                        replaced(two_jobs, "[JOB_NAME] B", "[RANKS_PER_NODE] 1\n[JOB_NAME] B") + "[RANKS_PER_NODE] 1\n",
                        {"6:12: node 1 belongs to job 'A' (line 1)"}},
                    Case{"OnlyOneShares",
                         two_jobs + "[SHARED] yes\n[RANKS_PER_NODE] 1\n",
                         {"5:12: node 1 belongs to job 'A' (line 1)"}},
                    Case{"SharingWithoutRanksPerNode",
                         replaced(two_jobs, "[JOB_NAME] B", "[SHARED] yes\n[JOB_NAME] B") + "[SHARED] yes\n",
                         {"6:12: node 1 belongs to job 'A' (line 1)"}},
                    Case{"SharedNodeIsTooSmall",
                         replaced(two_jobs, "[JOB_NAME] B", "[SHARED] yes\n[RANKS_PER_NODE] 3\n[JOB_NAME] B") +
                             "[SHARED] yes\n[RANKS_PER_NODE] 2\n",
                         {"7:12: node 1 has 4 ranks, but the jobs on it want 5"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Motifs, OneMistake,
    testing::Values(
        Case{"NoMotifName", head + "[MOTIF]\n", {"3:1: [MOTIF] needs a motif's name"}},
        Case{"OptionInPlaceOfTheName", head + "[MOTIF] -x 4\n", {"3:9: a motif's name is missing before '-x'"}},
        Case{"UnknownMotif", head + "[MOTIF] lulesh -q 4\n", {"3:9: 'lulesh' is not a motif"}},
        Case{"MotifOfOtherBuilds",
             head + "[MOTIF] Threads -t 4\n",
             {"3:9: 'Threads' is not in this build: there are none here"}},
        Case{"UnknownLongOption", head + "[MOTIF] halo2d --column 4\n", {"3:16: halo2d has no option '--column'"}},
        Case{"OptionTwice", head + "[MOTIF] halo2d -x 4 -x 5\n", {"3:21: -x/--columns is given twice"}},
        Case{"OptionShortAndLong", head + "[MOTIF] halo2d -x 4 --columns 5\n", {"3:21: -x/--columns is given twice"}},
        Case{"ValueBreaksARule", head + "[MOTIF] halo2d -x 0\n", {"3:19: --columns: '0': must be greater than 0"}},
        Case{"NegativeValue",
             head + "[MOTIF] halo2d -x -5\n",
             {"3:19: --columns: '-5': must be a whole number such as 4000, 4k or 2M"}},
        Case{"NegativeFraction",
             head + "[MOTIF] halo2d -x -.5\n",
             {"3:19: --columns: '-.5': must be a whole number such as 4000, 4k or 2M"}},
        Case{"EmptyValue", head + "[MOTIF] mpiio --file=\n", {"3:15: --file: '': must be not empty"}},
        Case{"FlagWithValue",
             head + "[MOTIF] allreduce --in-place 7\n",
             {"3:30: --in-place: '7': is a flag and takes no value"}},
        Case{"StrayWord",
             head + "[MOTIF] halo2d 4000 -x 5\n",
             {"3:16: '4000' is neither an option nor an option's value"}},
        Case{"PatternAsAWhole", head + "[MOTIF] mpiio -n odd\n", {"3:9: needs an odd number of ranks"}},
        Case{"RanksAreNotJudgedAfterABadOption",
             head + "[MOTIF] mpiio -m 7 -s x\n",
             {"3:23: --size: 'x': must be a size such as 4096, 32KiB, 1.5MiB or 4MB"}}),
    name_of_case);

TEST(Ranks, AreNoMoreThanThoseOfALaunch) {
  const std::string most = "[JOB_NAME] A\n[NODES] 2\n[RANKS_PER_NODE] 1048576\n[MOTIF] allreduce\n";
  const std::string more = replaced(most, "[NODES] 2", "[NODES] 3");
  const std::string message = "3:1: job 'A' has 3145728 ranks, a launch at most 2097152";
  EXPECT_THAT(mistakes(most), IsEmpty());
  EXPECT_THAT(mistakes(more), ElementsAre(message));
  EXPECT_THAT(mistakes(more, Machine::uniform(8, 0)), ElementsAre(message));
}

TEST(Iterations, InLoopsAreNoMoreThanThePassesOfLoops) {
  const std::string within = head + "[LOOP] 4\n[MOTIF] allreduce -i 250000000000000\n[END]\n";
  EXPECT_THAT(mistakes(within), IsEmpty());
  EXPECT_THAT(mistakes(replaced(within, "250000000000000", "250000000000001")),
              ElementsAre("4:22: --iterations: 250000000000001 in each of 4 passes of the loops around this are more "
                          "than 10^15"));
  EXPECT_THAT(mistakes(head + "[MOTIF] allreduce -i 9000000000000000000\n"),
              ElementsAre("3:22: --iterations: 9000000000000000000 are more than 10^15"));
}

INSTANTIATE_TEST_SUITE_P(
    Loops, OneMistake,
    testing::Values(
        Case{"EndWithoutLoop", job + "[END]\n", {"4:1: [END] has no [LOOP]"}},
        Case{"LoopWithoutEnd", head + "[LOOP] 2\n[MOTIF] allreduce\n", {"3:1: [LOOP] has no [END]"}},
        Case{"LoopWithoutEndBeforeAJob",
             head + "[LOOP] 2\n[MOTIF] allreduce\n" + replaced(job, "] A", "] B"),
             {"3:1: [LOOP] has no [END]"}},
        Case{"EmptyLoopWithoutEnd", head + "[LOOP] 2\n", {"3:1: [LOOP] has no [END]"}},
        Case{"EmptyLoop", head + "[LOOP] 2\n[END]\n", {"3:1: [LOOP] holds no [MOTIF]"}},
        Case{"LoopZero", head + "[LOOP] 0\n[MOTIF] allreduce\n[END]\n", {"3:8: [LOOP] '0' must be at least 1"}},
        Case{"EndWithValue", head + "[LOOP] 2\n[MOTIF] allreduce\n[END] 2\n", {"5:7: [END] takes no value"}},
        Case{"JobKeyInALoop",
             head + "[LOOP] 2\n[REPEAT] 3\n[MOTIF] allreduce\n[END]\n",
             {"4:1: [REPEAT] is inside a [LOOP]"}},
        Case{"TooManyPasses",
             head + "[LOOP] 1000000000\n[LOOP] 1000000000\n[MOTIF] allreduce\n[END]\n[END]\n",
             {"4:1: the loops around this make more than 10^15 passes"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Variables, OneMistake,
    testing::Values(
        Case{"Unset",
             "[SET] size=4\n" + head + "[MOTIF] halo2d -x ${sise} -y 3\n",
             {"4:19: variable 'sise' is not set"}},
        Case{"RanksAreNotJudgedWithoutAValue",
             head + "[MOTIF] mpiio -n odd -m ${m}\n",
             {"3:25: variable 'm' is not set"}},
        Case{"UnsetNodes", "[JOB_NAME] A\n[NODES] ${n}\n[MOTIF] allreduce\n", {"2:9: variable 'n' is not set"}},
        Case{"UnsetList", "[JOB_NAME] A\n[NID_LIST] ${n}\n[MOTIF] allreduce\n", {"2:12: variable 'n' is not set"}},
        Case{"UnsetMotif", head + "[MOTIF] ${m}\n", {"3:9: variable 'm' is not set"}},
        Case{"UsedBeforeItIsSet", "[SET] a=${b}\n[SET] b=1\n" + job, {"1:9: variable 'b' is not set"}},
        Case{"BySelf", "[SET] a=1\n[SET] a=${a}2\n" + job, {"2:7: [SET] 'a=12' is defined by itself"}},
        Case{"NotNameValue", "[SET] a b\n" + job, {"1:9: [SET] takes one value"}},
        Case{"OddName", "[SET] 1a=b\n" + job, {"1:7: [SET] '1a=b' must be name=value"}},
        Case{"OpenBrace", "[SET] a=${b\n" + job, {"1:9: '${b' lacks its '}'"}},
        Case{"OddNameUsed", "[SET] a=${b-c}\n" + job, {"1:9: '${b-c}' is not a variable's name"}},
        Case{"OpenQuote", head + "[MOTIF] mpiio -f \"a b\n", {"3:18: the closing quote is missing on this line"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Bytes, OneMistake,
    testing::Values(
        Case{"Nul", job + std::string("[REPEAT] 1\0 2\n", 14), {"4:11: control character 0x00; is this a text file?"}},
        Case{"NotUtf8", job + "# \xFF\n", {"4:3: byte 0xFF is not UTF-8; is this a text file?"}},
        Case{"OverlongInThree", job + "# \xE0\x80\x80\n", {"4:3: byte 0xE0 is not UTF-8; is this a text file?"}},
        Case{"Surrogate", job + "# \xED\xA0\x80\n", {"4:3: byte 0xED is not UTF-8; is this a text file?"}},
        Case{"BeyondUnicode", job + "# \xF4\x90\x80\x80\n", {"4:3: byte 0xF4 is not UTF-8; is this a text file?"}},
        Case{"CutOff", job + "# \xC3", {"4:3: byte 0xC3 is not UTF-8; is this a text file?"}},
        Case{"Overlong", job + "# \xC0\x80\n", {"4:3: byte 0xC0 is not UTF-8; is this a text file?"}},
        Case{"Escape", job + "# \x1B[31m\n", {"4:3: control character 0x1B; is this a text file?"}},
        Case{"CarriageReturn", job + "# a\rb\n", {"4:4: there is a carriage return in the middle of a line"}}),
    name_of_case);

TEST(WorkloadMistakes, AllAreToldAtOnceInTheOrderOfTheText) {
  EXPECT_THAT(
      mistakes("[JOB_NAME] A\n[NID_LIST] 7-5,9\n[MOTIF] halo2\n[MOTIF] halo2d -x 0 -q 1\n[COLOUR] red\n",
               Machine::uniform(8, 4)),
      ElementsAre(HasSubstr("2:12:"), HasSubstr("3:9:"), HasSubstr("4:19:"), HasSubstr("4:21:"), HasSubstr("5:1:")));
}

TEST(WorkloadMistakes, NamesThatAreNearAreSuggested) {
  EXPECT_THAT(diagnostics_of("[JOBNAME] A\n"), HasSubstr("did you mean [JOB_NAME]?"));
  EXPECT_THAT(diagnostics_of(head + "[MOTIF] MPI-IO\n"), HasSubstr("did you mean 'mpiio'?"));
  EXPECT_THAT(diagnostics_of(head + "[MOTIF] lulesh\n"), HasSubstr("accepted: allreduce, compute, halo2d, mpiio"));
  EXPECT_THAT(diagnostics_of(head + "[MOTIF] halo2d --colums 4\n"), HasSubstr("did you mean '--columns'?"));
  EXPECT_THAT(diagnostics_of(head + "[MOTIF] halo2d -q 4\n"),
              HasSubstr("accepted: -i/--iterations, --timer, -x/--columns, -y/--rows"));
  EXPECT_THAT(diagnostics_of("[SET] size=4\n" + head + "[MOTIF] halo2d -x ${sise}\n"),
              HasSubstr("did you mean 'size'?"));
  EXPECT_THAT(diagnostics_of(head + "[MOTIF] halo2d \xE2\x80\x93x 4\n"), HasSubstr("an option begins with a hyphen"));
}

TEST(WorkloadMistakes, ColumnsCountCharactersAndTabsStayInLine) {
  EXPECT_THAT(diagnostics_of(head + "[MOTIF]\thalo2d -x 4 --\xC3\xBC 7 x\n"),
              HasSubstr("w.sb:3:21: error: halo2d has no option '--\xC3\xBC'\n"
                        "  [MOTIF]\thalo2d -x 4 --\xC3\xBC 7 x\n"
                        "         \t            ~~^\n"));
}

TEST(WorkloadMistakes, ACharacterOfTwoBytesBeforeAMistakeIsOneColumn) {
  EXPECT_THAT(diagnostics_of("[JOB_NAME] A\n[NODES] 2\n[MOTIF] mpiio -f \xC3\xA9 -q 4\n"),
              HasSubstr("w.sb:3:20: error: mpiio has no option '-q'\n"
                        "  [MOTIF] mpiio -f \xC3\xA9 -q 4\n"
                        "                     ~^\n"));
}

TEST(WorkloadMistakes, ALongLineIsCutAroundTheMistake) {
  const std::string shown =
      diagnostics_of(head + "[MOTIF] halo2d " + std::string(5000, ' ') + "-q 4" + std::string(5000, ' ') + "#\n");
  EXPECT_THAT(shown, HasSubstr("-q 4"));
  EXPECT_LT(shown.size(), 600U);
}

TEST(WorkloadMistakes, TheHundredFirstIsOnlyCounted) {
  std::string text = head;
  for (int i = 0; i < 130; ++i) text += "[MOTIF] nonsense\n";
  try {
    load_text(text);
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.diagnostics().size(), 100U);
    EXPECT_EQ(rejected.total(), 130U);
    EXPECT_THAT(rejected.what(), testing::EndsWith("and 30 more mistakes"));
  }
}

TEST(WorkloadMistakes, SettingsThatNothingUsesAreRefused) {
  EXPECT_THAT(mistakes("[SET] nodes=2\n" + job, std::nullopt, {{"node", "3"}}),
              ElementsAre("0:0: --set node=...: this workload has no variable 'node'"));
  EXPECT_THAT(mistakes("[SET] a=2\n" + job, std::nullopt, {{"a", "x\ny"}}),
              ElementsAre("0:0: --set a: the value must be one line of text"));
}

TEST(WorkloadMistakes, SettingsNameNoVariableButThoseOfTheEnvironment) {
  const std::string text = "[SET] a=2\n" + job;
  EXPECT_THAT(mistakes(text, std::nullopt, {{"a", "${b}"}, {"b", "/s", Setting::Origin::environment}}), IsEmpty());
  EXPECT_THAT(mistakes(text, std::nullopt, {{"a", "x${b}"}, {"c", "/s", Setting::Origin::environment}}),
              ElementsAre("0:0: --set a: no variable can stand for 'x${b}'"));
}

TEST(WorkloadMistakes, AnUnsetScratchMayComeFromTheEnvironment) {
  EXPECT_THAT(diagnostics_of(replaced(job, "allreduce", "mpiio -f ${SCRATCH}/out")),
              HasSubstr("set it in the environment, or by [SET] SCRATCH=... before this line"));
}

TEST(WorkloadMistakes, OfAnIncludedFileNameThatFile) {
  try {
    load("w.sb", reader({{"w.sb", "[INCLUDE] parts/a.sb\n" + job}, {"parts/a.sb", "\n[SET] 1=2\n"}}), FakeCatalogue{},
         std::nullopt);
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_THAT(rejected.what(), testing::StartsWith("parts/a.sb:2:7: error: "));
  }
}

TEST(WorkloadMistakes, IncludesThatCannotBeReadOrNeverEndAreRefused) {
  EXPECT_THAT(mistakes("[INCLUDE] nowhere.sb\n" + job),
              ElementsAre("1:11: cannot read 'nowhere.sb': there is no such file"));
  EXPECT_THAT(mistakes("[INCLUDE] ./w.sb\n" + job), ElementsAre("1:11: [INCLUDE] './w.sb' includes itself"));
  EXPECT_THAT(mistakes_of({{"w.sb", "[INCLUDE] a.sb\n" + job}, {"a.sb", "[INCLUDE] w.sb\n"}}),
              ElementsAre("1:11: [INCLUDE] 'w.sb' includes itself"));
  Files deep = {{"w.sb", "[INCLUDE] 0.sb\n" + job}};
  for (int i = 0; i < 20; ++i) deep[std::to_string(i) + ".sb"] = "[INCLUDE] " + std::to_string(i + 1) + ".sb\n";
  EXPECT_THAT(mistakes_of(deep), ElementsAre("1:11: [INCLUDE] '16.sb' is more than 16 includes deep"));
}

TEST(WorkloadMistakes, TheWorkloadItselfMustBeThere) {
  EXPECT_THROW(load("x.sb", reader({}), FakeCatalogue{}, std::nullopt), UserMistake);
  EXPECT_THROW(read_file("no/such/file.sb"), UserMistake);
  EXPECT_THROW(read_file("/"), UserMistake);
  EXPECT_THROW(read_file("/dev/zero"), UserMistake);
}

}  // namespace
}  // namespace stressbench::workload
