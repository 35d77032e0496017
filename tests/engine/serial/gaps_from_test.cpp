// --gaps-from: what `check` and `describe` refuse, and the messages. Without MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../traces_of_lists.hpp"
#include "folder_test.hpp"
#include "motifs/motif.hpp"

namespace stressbench::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Options = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::string> halo{"Isend", "Irecv", "Waitall", "Waitall"};
Part program(const std::vector<std::string>& functions) {
  return recorded(functions, 2, [](int k) { return 100 * (k + 1); });
}

class GapsFrom : public FolderTest {
 protected:
  // The message with which a motif is refused by `check` or `describe`; "" if it is accepted. It is about --`option`.
  std::string rejection(const std::string& name, const Options& options, const std::string& option = "gaps-from",
                        int ranks = 2) {
    const auto motif = MotifCatalogue::instance().make(name);
    try {
      for (const auto& [given, text] : options) motif->find(given)->parse(text);
      motif->check(ranks);
      (void)motif->traffic(ranks);
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), option);
      return mistake.what();
    }
    return "";
  }
  // The same for halo2d on two ranks with a trace of these calls.
  std::string rejection_of(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    write({program(first), program(second)});
    return rejection("halo2d", {{"gaps-from", trace_}});
  }
  void write(const std::vector<Part>& parts) const { put("app.trace", trace_text(parts)); }

  const std::string trace_ = path("app.trace");
  const std::string start_ = "--gaps-from: '" + trace_ + "', ";
};

TEST_F(GapsFrom, TakesTheCallsOfTheMotif) { EXPECT_EQ(rejection_of(halo, halo), ""); }

TEST_F(GapsFrom, RefusesAListOfCallsWithoutTimes) {
  Json header = header_of(2);
  header["timed"] = false;
  put("app.trace",
      sealed(header) + sealed(program(halo).line(0, 2)) + sealed(program(halo).line(1, 2)) + sealed(end_of(2)));
  EXPECT_EQ(
      rejection("halo2d", {{"gaps-from", trace_}}),
      start_ + "line 1: lists the calls of a motif, without times; `stressbench capture` records those of a program");
}

TEST_F(GapsFrom, TakesATestInPlaceOfTheWaitThatItReplaces) {
  const std::vector<std::string> tested{"Isend", "Irecv", "Testall", "Waitall"};
  EXPECT_EQ(rejection_of(tested, halo), "");
}

TEST_F(GapsFrom, RefusesAnotherCallWithRankAndPosition) {
  EXPECT_EQ(rejection_of({"Irecv", "Isend", "Waitall", "Waitall"}, halo),
            start_ + "rank 0, call 0: the trace has Irecv, the motif calls Isend");
  EXPECT_EQ(rejection_of(halo, {"Isend", "Irecv", "Wait", "Wait"}),
            start_ + "rank 1, call 2: the trace has Wait, the motif calls Waitall");
  EXPECT_EQ(rejection_of(halo, {"Isend", "Irecv", "Waitall", "Testall"}),
            start_ + "rank 1, call 3: the trace has Testall, the motif calls Waitall");
}

TEST_F(GapsFrom, CountsFromTheFirstCallOfTheMotif) {
  write({program({"Barrier", "Isend", "Irecv", "Waitall", "Barrier"}), program(halo)});
  EXPECT_EQ(rejection("halo2d", {{"gaps-from", trace_}, {"first-call", "1"}}),
            start_ + "rank 0, call 4: the trace has Barrier, the motif calls Waitall");
}

TEST_F(GapsFrom, RefusesASequenceThatIsTooShort) {
  write({program(halo), program(halo)});
  EXPECT_EQ(rejection("halo2d", {{"gaps-from", trace_}, {"first-call", "4"}}), "");
  EXPECT_EQ(rejection("halo2d", {{"gaps-from", trace_}, {"first-call", "5"}}),
            start_ + "rank 0: the sequence has 8 calls, counted from 0; calls 5 to 8 are needed");
  EXPECT_EQ(rejection("compute", {{"gaps-from", trace_}, {"call", "8"}}),
            start_ + "rank 0: the sequence has 8 calls, counted from 0; call 8 is needed");
}

TEST_F(GapsFrom, TellsBlockingCollectivesFromNonblocking) {
  write({program({"Allreduce"}), program({"Allreduce"})});
  EXPECT_EQ(rejection("data_parallel", {{"gaps-from", trace_}, {"parameters", "1000"}}),
            start_ + "rank 0, call 0: the trace has Allreduce, the motif calls Iallreduce");
  EXPECT_EQ(rejection("data_parallel", {{"gaps-from", trace_}, {"parameters", "1000"}, {"blocking", ""}}), "");
}

TEST_F(GapsFrom, RefusesFilesThatAreNoTraceOfThisJob) {
  EXPECT_EQ(rejection("halo2d", {{"gaps-from", trace_}}),
            "--gaps-from: cannot read '" + trace_ + "': there is no such file");
  put("app.trace", "[JOB_NAME] a\n");
  EXPECT_THAT(rejection("halo2d", {{"gaps-from", trace_}}), HasSubstr("line 1: is not a trace file"));
  write({program(halo)});
  EXPECT_EQ(rejection("halo2d", {{"gaps-from", trace_}}),
            "--gaps-from: '" + trace_ + "' was captured on 1 rank; this job has 2");
  Json header = header_of(1);
  header["mode"] = "profile";
  put("app.trace", sealed(header));
  EXPECT_THAT(rejection("compute", {{"gaps-from", trace_}}, "gaps-from", 1),
              HasSubstr("holds statistics and no sequence"));
  Json line = program(halo).line(0, 1);
  line["streams"] = Json::array();
  put("app.trace", sealed(header_of(1)) + sealed(line) + sealed(end_of(1)));
  EXPECT_THAT(rejection("compute", {{"gaps-from", trace_}}, "gaps-from", 1),
              HasSubstr("rank 0 called MPI from several"));
}

TEST_F(GapsFrom, RefusesListsThatAreTooLong) {
  write({program(halo), program(halo)});
  EXPECT_EQ(rejection("tealeaf", {{"gaps-from", trace_}, {"solver-iterations", "142858"}}),
            start_ + "rank 0: the motif makes 1000006 calls in an iteration; at most 1000000");
}

TEST_F(GapsFrom, RefusesOtherTimesBesideIt) {
  write({program(halo), program(halo)});
  const auto beside = [&](const std::string& motif, const char* option, const char* value) {
    return rejection(motif, {{"gaps-from", trace_}, {option, value}}, option);
  };
  for (const auto& [option, value] : {std::pair{"distribution", "normal"}, std::pair{"deviation", "0.1"}}) {
    EXPECT_EQ(beside("tealeaf", option, value),
              fmt::format("--{}: the times of computation come from --gaps-from; use one or the other", option));
  }
  for (const auto& [option, value] :
       {std::pair{"mean", "1us"}, std::pair{"distribution", "constant"}, std::pair{"deviation", "1us"},
        std::pair{"imbalance", "0.5"}, std::pair{"imbalance-shape", "single"}}) {
    EXPECT_THAT(beside("compute", option, value), HasSubstr("come from --gaps-from"));
  }
}

TEST_F(GapsFrom, IsRequiredByWhatBelongsToIt) {
  EXPECT_EQ(rejection("halo2d", {{"gaps", "mean"}}, "gaps"), "--gaps: requires --gaps-from");
  EXPECT_EQ(rejection("tealeaf", {{"first-call", "1"}}, "first-call"), "--first-call: requires --gaps-from");
  EXPECT_EQ(rejection("compute", {{"call", "1"}}, "call"), "--call: requires --gaps-from");
  EXPECT_THAT(rejection("compute", {{"call", "1000001"}}, "call"), HasSubstr("at most 1000000"));
}

TEST_F(GapsFrom, InSequenceNeedsTimesInSequence) {
  const auto in_sequence = [&](const std::string& motif) {
    return rejection(motif, {{"gaps-from", trace_}, {"gaps", "sequence"}});
  };
  write({program(halo), program(halo)});
  EXPECT_EQ(in_sequence("halo2d"),
            start_ +
                "rank 0: the trace has the times before 0 calls in order, and an iteration 4 calls; "
                "`stressbench capture --gap-times` keeps such times");
  EXPECT_EQ(in_sequence("compute"), start_ +
                                        "rank 0: the trace has no times in order before call 0; "
                                        "`stressbench capture --gap-times` keeps such times");
  Part timed = program(halo);
  timed.gap_times_ns.assign(8, 100);
  write({timed, timed});
  EXPECT_EQ(in_sequence("halo2d"), "");
  EXPECT_EQ(in_sequence("compute"), "");
}

TEST_F(GapsFrom, InSequenceHasNoOtherCallsInTheTrace) {
  Part timed = program(halo);
  timed.gap_times_ns.assign(8, 100);
  write({timed, timed});
  EXPECT_EQ(rejection("halo2d", {{"gaps-from", trace_}, {"gaps", "sequence"}, {"first-call", "4"}}, "first-call"),
            "--first-call: with --gaps sequence, the trace has iterations of the motif's own calls and no others");
}

}  // namespace
}  // namespace stressbench::test
