// The calls of motifs as lines of a trace file: read back, counted, and accepted by the checker of replays.
#include "output/call_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "call_lists.hpp"
#include "core/wrong_value.hpp"
#include "folder_test.hpp"
#include "trace/program.hpp"
#include "trace/read.hpp"

namespace stressbench::test {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using output::RankSequence;
using testing::ElementsAre;
using testing::IsEmpty;

using Json = nlohmann::json;

Json parsed(const std::string& line) { return Json::parse(line); }

// The line of a rank that makes the calls of one list.
Json line_of(const CallList& list, const output::SplitMembers& members = {}) {
  RankSequence sequence(list.rank(), list.ranks());
  return parsed(sequence.line(sequence.add(list, members)));
}

// Operations of the sequence in order.
std::vector<std::string> operations(const Json& line) {
  std::vector<trace::Rule> rules;
  for (const Json& rule : line["rules"]) {
    trace::Rule& items = rules.emplace_back();
    for (const Json& item : rule) items.push_back({item[0], item[1]});
  }
  trace::Program program(rules, line["calls"].size(), line["sequence_calls"]);
  std::vector<std::string> names;
  program.walk([&](int call) { names.push_back(line["calls"][static_cast<std::size_t>(call)]["op"]); });
  return names;
}

TEST(CallTrace, HasLoopsAsRulesThatAreNotUnrolled) {
  CallList list(0, 2);
  list.repeat(1'000'000, [&] {
    list.send(1, 3, 16);
    list.repeat(2, [&] { list.barrier(list.all_ranks()); });
  });

  const Json line = line_of(list);

  EXPECT_EQ(line["sequence_calls"], 3'000'000);
  EXPECT_LT(line["rules"].size(), 5U);
  EXPECT_EQ(line["peers"], Json::parse("[[1,1000000,16000000]]"));
  EXPECT_EQ(line["totals"], Json::parse(R"([{"op":"Barrier","calls":2000000,"time_s":0,"bytes":0,"empty":0},
                                            {"op":"Send","calls":1000000,"time_s":0,"bytes":16000000,"empty":0}])"));
  EXPECT_EQ(line["sizes"]["p2p"], Json::parse("[0,0,0,0,0,1000000]"));
  EXPECT_EQ(line["sizes"]["coll"], Json::parse("[2000000]"));
}

TEST(CallTrace, LeavesOutComputationAndLoopsWithoutCalls) {
  CallList list(0, 2);
  list.compute(100);
  list.repeat(5, [&] { list.compute(7); });
  list.barrier(list.all_ranks());

  EXPECT_THAT(operations(line_of(list)), ElementsAre("Barrier"));
}

TEST(CallTrace, HasComputationAsCallsWithTheirTimesIfAsked) {
  CallList list(0, 2);
  list.compute(100);
  list.barrier(list.all_ranks());
  list.repeat(5, [&] { list.compute(7); });

  RankSequence sequence(0, 2, RankSequence::Computations::as_calls);
  const Json line = parsed(sequence.line(sequence.add(list, {}, 2.0)));

  EXPECT_THAT(operations(line),
              ElementsAre("Compute", "Barrier", "Compute", "Compute", "Compute", "Compute", "Compute"));
  EXPECT_DOUBLE_EQ(line["calls"][0]["time_s"], 200e-9);
  EXPECT_DOUBLE_EQ(line["calls"][2]["time_s"], 70e-9);
  EXPECT_EQ(line["totals"], Json::parse(R"([{"op":"Barrier","calls":1,"time_s":0,"bytes":0,"empty":0}])"));
}

TEST(CallTrace, OfARankWithoutCallsIsValid) {
  const Json line = line_of(CallList(1, 2));

  EXPECT_EQ(line["sequence_calls"], 0);
  EXPECT_THAT(operations(line), IsEmpty());
}

TEST(CallTrace, CountsATestAsOneInVainThatItsWaitFollows) {
  CallList list(0, 2);
  const calls::Requests requests = list.requests(1);
  list.irecv(requests[0], 1, 0, 8);
  list.test_all(requests);
  list.wait_all_unless_tested(requests);

  const Json line = line_of(list);

  EXPECT_THAT(operations(line), ElementsAre("Irecv", "Waitall"));
  EXPECT_EQ(line["totals"][1], Json::parse(R"({"op":"Testall","calls":1,"time_s":0,"bytes":0,"empty":1})"));
}

TEST(CallTrace, NamesTheCreatorsOfPersistentRequestsAndCountsTheirMessages) {
  CallList list(0, 2);
  const calls::Requests requests = list.requests(2);
  list.persistent_receive(requests[0], 1, 5, 24);
  list.persistent_send(requests[1], 1, 5, 40);
  list.start_all(requests);
  list.wait_all(requests);

  const Json line = line_of(list);

  EXPECT_THAT(operations(line), ElementsAre("Startall", "Waitall"));
  EXPECT_EQ(line["calls"][0]["op"], "Recv_init");
  EXPECT_EQ(line["calls"][0]["n"], 0);
  EXPECT_EQ(line["calls"][2]["inits"], Json::parse("[0,1]"));
  EXPECT_EQ(line["calls"][2]["bytes"], 40);
  EXPECT_EQ(line["peers"], Json::parse("[[1,1,40]]"));
}

TEST(CallTrace, CountsMessagesOfRequestsThatAnIterationCreates) {
  CallList list(0, 2);
  const calls::Requests requests = list.requests(1);
  list.send_init(requests[0], 1, 0, 8);
  list.start(requests[0]);
  list.start(requests[0]);
  list.free_request(requests[0]);

  const Json line = line_of(list);

  EXPECT_THAT(operations(line), ElementsAre("Send_init", "Start", "Start", "Request_free"));
  EXPECT_EQ(line["peers"], Json::parse("[[1,2,16]]"));
}

TEST(CallTrace, WaitsForNullRequestsWhereNoneWasStarted) {
  CallList list(0, 2);
  const calls::Requests requests = list.requests(3);
  list.isend(requests[1], 1, 0, 8);
  list.wait_all(requests);
  list.wait_all(requests);
  list.repeat(2, [&] {  // what the first pass leaves is in the slot for the next one
    list.wait_all(requests);
    list.isend(requests[2], 1, 0, 8);
  });

  std::vector<Json> slots;
  const Json line = line_of(list);
  for (const Json& call : line["calls"]) {
    if (call["op"] == "Waitall") slots.push_back(call["requests"]);
  }

  EXPECT_THAT(slots, ElementsAre(Json::parse("[-1,1,-1]"), Json::parse("[-1,-1,-1]"), Json::parse("[-1,1,2]")));
}

TEST(CallTrace, HasTheMembersOfSplitCommunicators) {
  output::SplitMembers members;
  const auto rows = [](int rank) {  // 0 1 2 and 3 4 5; in the second, ranks are in reverse order
    CallList list(rank, 6);
    const int place = rank < 3 ? rank : 5 - rank;
    const auto row = list.split(rank / 3, place, 3);
    list.allreduce(row, ReduceOp::max, ElementType::ints, 2);
    return list;
  };
  for (int rank = 0; rank < 6; ++rank) members.add(rows(rank));

  const Json line = line_of(rows(4), members);

  EXPECT_EQ(line["comms"][2], Json::parse(R"({"slot":2,"size":3,"rank":1,"members":[[5,-1,3]],"inter":false})"));
  EXPECT_EQ(line["calls"][0]["comm"], 2);
  EXPECT_EQ(line["calls"][0]["reduction"], "MAX");
}

TEST(CallTrace, PartsOfSeveralMotifsHaveTheirOwnRequestsAndCommunicators) {
  CallList list(0, 2);
  const calls::Requests requests = list.requests(1);
  const auto row = list.split(0, 0, 1);
  list.isend(requests[0], 1, 0, 8);
  list.wait(requests[0]);
  list.barrier(row);
  output::SplitMembers members;
  members.add(list);
  RankSequence sequence(0, 2);
  const auto first = sequence.add(list, members);
  const auto second = sequence.add(list, members);

  const Json line = parsed(sequence.line(sequence.add({{first, 2}, {second, 3}})));

  EXPECT_EQ(line["comms"].size(), 4U);
  EXPECT_EQ(line["calls"][0]["request"], 0);
  EXPECT_EQ(line["calls"][3]["request"], 1);
  EXPECT_EQ(line["calls"][5]["comm"], 3);
  EXPECT_EQ(line["sequence_calls"], 15);
}

TEST(CallTrace, RefusesMoreCallsThan64BitsCount) {
  CallList list(0, 1);
  list.barrier(list.all_ranks());
  RankSequence sequence(0, 1);
  auto part = sequence.add(list, {});
  for (int level = 0; level < 3; ++level) part = sequence.add({{part, 1'000'000'000}, {part, 1}});

  EXPECT_THROW(sequence.line(part), WrongValue);
}

class CallTraceOfMotif : public FolderTest, public testing::WithParamInterface<const char*> {};

TEST_P(CallTraceOfMotif, IsAcceptedByReplay) {
  constexpr int ranks = 8;
  const auto motif = configured(GetParam(), {}, ranks);
  std::ofstream file(path("a.trace"), std::ios::binary);
  file << output::trace_header_line(GetParam(), ranks);
  output::SplitMembers members;
  for (int rank = 0; rank < ranks; ++rank) members.add(call_list_motif(*motif).calls_of(rank, ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    RankSequence sequence(rank, ranks);
    const auto whole = sequence.add(call_list_motif(*motif).calls_of(rank, ranks), members);
    file << sequence.line(whole);
  }
  file << output::trace_end_line(ranks);
  file.close();

  const auto replay = MotifCatalogue::instance().make("replay");
  replay->find("file")->parse(path("a.trace"));

  replay->check(ranks);
  EXPECT_EQ(replay->traffic(ranks).messages, motif->traffic(ranks).messages);
  EXPECT_EQ(replay->traffic(ranks).message_bytes, motif->traffic(ranks).message_bytes);
}

INSTANTIATE_TEST_SUITE_P(Motifs, CallTraceOfMotif,
                         testing::Values("amg", "cloverleaf", "comd", "fft2d", "fft3d", "halo2d", "halo3d", "lulesh",
                                         "mcb", "milc", "minife", "nekbone", "npb", "ptrans", "stencil", "sweep3d",
                                         "swfft", "tealeaf", "umt", "vpfft"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace stressbench::test
