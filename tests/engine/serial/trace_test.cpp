// Trace files: what is read, and the messages for damaged files. The checker of replay reports the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../trace_text.hpp"
#include "folder_test.hpp"
#include "motifs/motif.hpp"
#include "trace/read.hpp"

namespace stressbench::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Traces : public FolderTest {
 protected:
  // The message with which a file is refused: by `check`, or by `describe`; "" if it is accepted.
  std::string rejection(const std::string& text, int ranks = 2) {
    std::ofstream(path_, std::ios::binary) << text;
    const auto motif = MotifCatalogue::instance().make("replay");
    motif->find("file")->parse(path_);
    try {
      motif->check(ranks);
      (void)motif->traffic(ranks);
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "file");
      EXPECT_THAT(mistake.what(), HasSubstr(path_));
      return mistake.what();
    }
    return "";
  }

  const std::string path_ = path("a.trace");
};

const Part barriers = Part::loop({}, {collective("Barrier", 0)}, 10);
std::string valid_trace() { return trace_text({barriers, barriers}); }
std::string rank_line(int rank, const char* key, const Json& value) {
  return sealed(with(barriers.line(rank, 2), key, value));
}
// A file with `line` in place of the line of rank 1.
std::string with_second(const std::string& line) {
  return sealed(header_of(2)) + sealed(barriers.line(0, 2)) + line + sealed(end_of(2));
}

TEST_F(Traces, ChecksumIsThatOfZlib) { EXPECT_EQ(trace::checksum("123456789"), 0xcbf43926U); }

TEST_F(Traces, ThatAreWholeAreTaken) { EXPECT_EQ(rejection(valid_trace()), ""); }

TEST_F(Traces, WithSymbolsAreTaken) {
  EXPECT_EQ(rejection(sealed(header_of(1)) + sealed(barriers.line(0, 1)) +
                          sealed({{"type", "symbols"}, {"sites", {{"app+12", "main (app.c:3)"}}}}) + sealed(end_of(1)),
                      1),
            "");
}

TEST_F(Traces, OfAnotherNumberOfRanksAreRefusedWithTheReason) {
  EXPECT_THAT(rejection(valid_trace(), 8), HasSubstr("was captured on 2 ranks; this job has 8"));
}

TEST_F(Traces, ThatAreNotThereAreRefused) {
  const auto motif = MotifCatalogue::instance().make("replay");
  EXPECT_THROW(motif->check(2), ParameterMistake);
  motif->find("file")->parse("/nowhere/app.trace");
  EXPECT_THAT([&] { motif->check(2); }, testing::ThrowsMessage<ParameterMistake>(HasSubstr(
                                            "--file: cannot read '/nowhere/app.trace': there is no such file")));
  motif->find("file")->parse("/tmp");
  EXPECT_THAT([&] { motif->check(2); }, testing::ThrowsMessage<ParameterMistake>(HasSubstr(
                                            "cannot read '/tmp': it is a directory; only regular files can be read")));
}

TEST_F(Traces, OfOtherKindsAreRefused) {
  EXPECT_THAT(rejection(""), HasSubstr("is empty"));
  EXPECT_THAT(rejection("[JOB_NAME] A\n"),
              HasSubstr("line 1: is not a trace file; `stressbench capture -o APP.trace`"));
  EXPECT_THAT(rejection("{\"schema\": 1}\n"), HasSubstr("line 1: does not end with a checksum"));
  EXPECT_THAT(rejection(sealed({{"type", "header"}, {"format", "other"}})), HasSubstr("line 1: is not the header"));
}

TEST_F(Traces, OfAnotherVersionAreRefused) {
  EXPECT_THAT(rejection(sealed(with(header_of(2), "version", 2))),
              HasSubstr("line 1: version 2 of the format; this program reads version 1"));
}

TEST_F(Traces, WithStatisticsOnlyAreRefused) {
  EXPECT_THAT(rejection(sealed(with(header_of(2), "mode", "profile"))), HasSubstr("line 1: mode 'profile'"));
  EXPECT_THAT(rejection(with_second(rank_line(1, "rules", nullptr))), HasSubstr("line 3: rank 1 has no sequence"));
}

TEST_F(Traces, CutOffAnywhereAreRefused) {
  const std::string whole = valid_trace();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_NE(rejection(whole.substr(0, length)), "") << length << " bytes";
  }
  const std::string without_end = whole.substr(0, whole.size() - sealed(end_of(2)).size());
  EXPECT_THAT(rejection(without_end), HasSubstr("line 4: the 'end' line is missing"));
  EXPECT_THAT(rejection(without_end + "{\"type\":"), HasSubstr("line 4: is truncated"));
}

TEST_F(Traces, WithAnyByteDamagedAreRefused) {
  const std::string whole = valid_trace();
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(rejection(damaged), "") << "byte " << at << " of " << whole;
  }
  std::string damaged = whole;
  damaged[sealed(header_of(2)).size() + 20] = '#';
  EXPECT_THAT(rejection(damaged), AllOf(HasSubstr("line 2: its checksum is"), HasSubstr("capture it again")));
}

TEST_F(Traces, ThatLackARankAreRefused) {
  EXPECT_THAT(rejection(with_second("")), HasSubstr("line 3: 'end' instead of the line of rank 1"));
  EXPECT_THAT(rejection(with_second(sealed(barriers.line(5, 2)))), HasSubstr("line 3: rank 5 instead of rank 1"));
  EXPECT_THAT(rejection(with_second(sealed(barriers.line(1, 2)) + sealed(barriers.line(2, 2)))),
              HasSubstr("line 4: 'rank' after the lines of 2 ranks"));
  EXPECT_THAT(rejection(valid_trace() + sealed(end_of(2))), HasSubstr("line 5: there is more after the 'end' line"));
}

TEST_F(Traces, WhoseSequenceIsNotWholeAreRefused) {
  const Json loss{{"what", "sequence"}, {"after_calls", 12345}, {"why", "memory"}};
  EXPECT_THAT(rejection(with_second(rank_line(1, "lost", Json::array({loss})))),
              HasSubstr("line 3: rank 1's sequence is not whole: 'sequence' was given up after 12345 calls (memory)"));
  EXPECT_EQ(rejection(with_second(rank_line(1, "lost", Json::array({with(loss, "what", "gaps")})))), "");
  EXPECT_THAT(rejection(with_second(rank_line(1, "streams", Json::array()))),
              HasSubstr("line 3: rank 1 called MPI from several threads"));
  EXPECT_THAT(rejection(with_second(rank_line(1, "ended", "killed"))),
              HasSubstr("line 3: rank 1 did not reach MPI_Finalize ('killed')"));
}

TEST_F(Traces, WithImpossibleTimesBeforeCallsAreRefused) {
  const auto with_times = [&](const Json& times) {
    return rejection(with_second(rank_line(1, "gap_times_ns", times)));
  };
  EXPECT_EQ(with_times(Json::array({5})), "");
  EXPECT_THAT(with_times(Json::array({5, -1})), HasSubstr("a time of -1 ns before a call"));
  EXPECT_THAT(with_times(std::vector<int>(1000, 1)), HasSubstr("1000 times before "));
  EXPECT_THAT(with_times(std::vector<int>(262'145, 1)), HasSubstr("262145 times before calls; at most 262144"));
}

TEST_F(Traces, ThatLackAKeyAreRefused) {
  Json line = barriers.line(1, 2);
  line.erase("comms");
  EXPECT_THAT(rejection(with_second(sealed(line))), AllOf(HasSubstr("line 3: "), HasSubstr("comms")));
}

TEST_F(Traces, OfCallsThatCannotBeReplayedAreRefusedByName) {
  const auto calling = [](const char* op) {
    const Part part = Part::once({Json{{"op", op}, {"comm", 0}}});
    return trace_text({part});
  };
  EXPECT_THAT(
      rejection(calling("Win_create_dynamic"), 1),
      HasSubstr("line 2: rank 0 calls MPI_Win_create_dynamic, which cannot be replayed: windows to which memory"));
  EXPECT_THAT(rejection(calling("Comm_spawn"), 1),
              HasSubstr("MPI_Comm_spawn, which cannot be replayed: communication betw"));
  EXPECT_THAT(rejection(calling("Intercomm_create"), 1), HasSubstr("communication between groups"));
  EXPECT_THAT(rejection(calling("Teleport"), 1),
              HasSubstr("MPI_Teleport, which cannot be replayed: unknown to this program"));
  EXPECT_EQ(rejection(calling("File_write_at"), 1), "");  // left out
}

TEST_F(Traces, OfFileCallsThatCannotBeMadeAreRefusedWhereFilesAreAskedFor) {
  std::ofstream(path_, std::ios::binary) << trace_text({Part::once({Json{{"op", "File_teleport"}, {"file", 0}}})});
  const auto motif = MotifCatalogue::instance().make("replay");
  motif->find("file")->parse(path_);
  motif->find("files")->parse("/tmp");
  EXPECT_THAT([&] { motif->check(1); }, testing::ThrowsMessage<ParameterMistake>(HasSubstr(
                                            "calls MPI_File_teleport, which cannot be replayed: without --files")));
  motif->find("files")->parse("/nowhere");
  EXPECT_THAT([&] { motif->check(1); },
              testing::ThrowsMessage<ParameterMistake>(HasSubstr("--files: '/nowhere' is not a directory")));
}

TEST_F(Traces, AreReadWithAllThatACallHas) {
  Part part = Part::once({with(with(to("Sendrecv", 1, 7, 16), "source", -1), "receive_bytes", 24)});
  part.gaps = Json::array({Json::array({-1, 0, 3, 0.5, 0.1, 0.2, 0.01, Json::array({Json::array({4, 3})})})});
  const trace::RankRecord record = trace::read_rank(
      {"app.trace", 2},
      [&] {
        std::string line = sealed(part.line(0, 2));
        line.pop_back();
        return line;
      }(),
      0, 2);
  ASSERT_EQ(record.calls.size(), 1u);
  const trace::Call& call = record.calls[0];
  EXPECT_EQ(call.op, "Sendrecv");
  EXPECT_EQ(call.times, 1);
  EXPECT_EQ(call.peer, 1);
  EXPECT_EQ(call.source, -1);
  EXPECT_EQ(call.receive_bytes, 24);
  EXPECT_EQ(call.type, "DOUBLE");
  ASSERT_EQ(record.gaps.size(), 1u);
  EXPECT_EQ(record.gaps[0].times, 3);
  EXPECT_EQ(record.gaps[0].max_s, 0.2);
  EXPECT_EQ(record.gaps[0].buckets.at(0), std::pair(4, std::int64_t{3}));
  ASSERT_EQ(record.comms.size(), 2u);
  EXPECT_EQ(record.comms[0].members->at(0).count, 2);
}

// Numbers as in a damaged or hostile file: refused where they occur, before memory is allocated for them.
struct Odd {
  const char* key;
  const char* json;
  const char* said;
};
class OddTraces : public Traces, public testing::WithParamInterface<Odd> {};

TEST_P(OddTraces, AreRefusedWithFileAndLine) {
  const Odd& odd = GetParam();
  const std::string said = rejection(with_second(rank_line(1, odd.key, Json::parse(odd.json))));
  EXPECT_THAT(said, AllOf(HasSubstr("line 3: "), HasSubstr(odd.said)));
}

INSTANTIATE_TEST_SUITE_P(
    OfARank, OddTraces,
    testing::Values(
        Odd{"rank", "2147483648", "2147483648 instead of a whole number from -2147483648 to 2147483647"},
        Odd{"sequence_calls", "1e300", "1e+300 instead of a whole number"},
        Odd{"calls", R"([{"op":"Barrier","n":1,"comm":7}])", "MPI_Barrier on communicator 7, which does not exist"},
        Odd{"calls", R"([{"op":"Barrier","n":1,"comm":-1}])", "communicator -1, which does not exist"},
        Odd{"calls", R"([{"op":"Allgather","n":9223372036854775807,"comm":0,"bytes":1000}])", "more than 2^63"},
        Odd{"calls", R"([{"op":"Wait","n":1,"requests":[2147483647]}])", "request 2147483647 of MPI_Wait"},
        Odd{"calls", R"([{"op":"Comm_dup","n":1,"comm":2,"made":2},{"op":"Neighbor_alltoall","n":1,"comm":2}])",
            "communicator 2"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[0,1,2147483647]]}])", "[0, 1, 2147483647] are not valid ranks"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[2147483647,2147483647,2]]}])", "are not valid ranks"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[1,0,2]]}])", "[1, 0, 2] are not valid ranks"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[1,-2147483648,2]]}])", "are not valid ranks"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[1,1,0]]}])", "0 instead of a whole number from 1"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[1,1,1]]}])", "a communicator of 2 ranks has 1 members"},
        Odd{"comms", R"([{"size":2,"rank":1,"members":[[1,-1,2]]}])", "its members have it as number 0"},
        Odd{"comms", R"([{"size":1,"rank":0}])", "the first one has all 2, of which it is number 1"},
        Odd{"comms", R"([{"size":2,"rank":0}])", "of which this one is number 0; the first one has all 2"},
        Odd{"comms", R"([{"size":2,"rank":1},{"size":2,"rank":1}])", "the second one is MPI_COMM_SELF"},
        Odd{"comms", R"([{"size":2,"rank":1},{"size":1,"rank":1}])", "1 ranks, of which this one is number 1"},
        Odd{"comms", R"([{"size":2,"rank":1},{"size":1,"rank":0},{"size":3,"rank":1}])", "the trace has 2"},
        Odd{"comms", R"([{"size":2,"rank":1},{"size":1,"rank":0},{"size":0,"rank":0}])", "communicator 2 has 0 ranks"},
        Odd{"comms", R"([{"size":2,"rank":1},{"size":1,"rank":0},{"size":2,"rank":-1}])", "numbers begin with 0"},
        Odd{"comms", R"([{"size":2,"rank":1},{"size":1,"rank":0},{"size":1,"rank":0,"members":[[0,1,1]]}])",
            "it is not among its members"},
        // 8 GiB on each rank if it was expanded.
        Odd{"comms", R"([{"size":2,"rank":1},{"size":1,"rank":0},
                         {"size":2147483647,"rank":0,"members":[[0,0,2147483647]]}])",
            "communicator 2 has 2147483647 ranks"},
        Odd{"calls", R"([{"op":"Isend","n":1,"comm":0,"peer":0}])",
            "rank 1 calls MPI_Isend, which cannot be replayed: the trace does not name the slot of its request"},
        Odd{"calls", R"([{"op":"Irecv","n":1,"comm":0,"peer":0,"request":-1}])", "rank 1 calls MPI_Irecv, which"},
        Odd{"calls", R"([{"op":"Imrecv","n":1,"comm":0,"peer":0}])", "rank 1 calls MPI_Imrecv, which"},
        Odd{"calls", R"([{"op":"Recv_init","n":1,"comm":0,"request":-2}])", "rank 1 calls MPI_Recv_init, which"},
        Odd{"calls", R"([{"op":"Iallreduce","n":1,"comm":0}])", "rank 1 calls MPI_Iallreduce, which"},
        Odd{"calls", R"([{"op":"Comm_idup","n":1,"comm":0,"made":0}])", "rank 1 calls MPI_Comm_idup, which"},
        Odd{"calls", R"([{"op":"Rput","n":1,"window":0,"peer":0}])", "rank 1 calls MPI_Rput, which"},
        Odd{"peers", "[[0,9223372036854775807,1],[1,9223372036854775807,1]]", "more than 2^63"}),
    [](const auto& odd) { return std::string(odd.param.key) + std::to_string(odd.index); });

// A communicator that is a copy of itself has no original that defines its neighbours.
TEST_F(Traces, OfACommunicatorThatIsACopyOfItselfAreRefused) {
  Json comms = Json::array();
  for (int k = 0; k < 3; ++k) comms.push_back({{"size", k == 1 ? 1 : 2}, {"rank", k == 1 ? 0 : 1}});
  const Json calls =
      Json::parse(R"([{"op":"Comm_dup","n":1,"comm":2,"made":2},{"op":"Neighbor_alltoall","n":1,"comm":2,"bytes":8}])");
  Json line = with(with(barriers.line(1, 2), "comms", comms), "calls", calls);
  EXPECT_THAT(rejection(with_second(sealed(line))), HasSubstr("communicator 2 is a copy of itself"));
}

// To follow the chain from each call would take 10^12 steps.
TEST_F(Traces, WithALongChainOfCopiesAreReadInTimeInProportion) {
  constexpr int copies = 20'000;
  Json comms = barriers.line(1, 2)["comms"];
  for (int k = 0; k <= copies; ++k) comms.push_back({{"size", 2}, {"rank", 1}});
  Json calls = Json::array({{{"op", "Cart_create"}, {"n", 1}, {"made", 2}, {"dims", {2}}, {"periods", {0}}}});
  for (int k = 0; k < copies; ++k) {
    calls.push_back({{"op", "Comm_dup"}, {"n", 1}, {"comm", 2 + k}, {"made", 3 + k}});
    calls.push_back({{"op", "Neighbor_alltoall"}, {"n", 1}, {"comm", 2 + copies}, {"bytes", 8}});
  }
  const Json line = with(with(barriers.line(1, 2), "comms", comms), "calls", calls);
  EXPECT_EQ(rejection(with_second(sealed(line))), "");
  const auto motif = MotifCatalogue::instance().make("replay");
  motif->find("file")->parse(path_);
  EXPECT_EQ(motif->traffic(2).collective_bytes, 2 * 8 * copies);
}

// The size and the members of an intercommunicator are those of the other group, to which this rank does not belong.
TEST_F(Traces, WithTwoGroupsAreRead) {
  Json comms = barriers.line(1, 2)["comms"];
  comms.push_back({{"size", 1}, {"rank", 1}, {"members", {{0, 1, 1}}}, {"inter", true}});
  EXPECT_EQ(rejection(with_second(rank_line(1, "comms", comms))), "");
}

TEST_F(Traces, OfMoreRanksThanAnIntHoldsAreRefused) {
  EXPECT_THAT(rejection(sealed(with(header_of(2), "ranks", 2147483648U))),
              AllOf(HasSubstr("line 1: "), HasSubstr("2147483648 instead of a whole number")));
}

TEST_F(Traces, WithTwoLinesOfSymbolsAreRefused) {
  const std::string symbols = sealed({{"type", "symbols"}, {"sites", Json::object()}});
  EXPECT_THAT(rejection(sealed(header_of(1)) + sealed(barriers.line(0, 1)) + symbols + symbols + sealed(end_of(1)), 1),
              HasSubstr("line 4: 'symbols' after"));
}

}  // namespace
}  // namespace stressbench::test
