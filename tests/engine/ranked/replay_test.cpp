// replay makes the calls that the trace contains, rank by rank and in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "../trace_text.hpp"
#include "allocations.hpp"
#include "capture.hpp"
#include "motif_bench.hpp"
#include "replay/windows.hpp"
#include "stepping_clock.hpp"

namespace stressbench::test {
namespace {

using testing::HasSubstr;

constexpr const char* path = "replay_test.trace";

std::string times(int count, const std::string& tokens) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (all.empty() ? "" : " ") + tokens;
  return all;
}

// A program on the first n ranks: maps a rank to its part.
using Program = std::function<Part(int rank)>;

// A replay, and what it does afterwards for the next one.
void perform(MotifBench& bench) {
  bench.perform();
  bench->reduce_metrics();
}

class Replays : public testing::Test {
 protected:
  // Writes the trace. Returns false on ranks that are not part of the program.
  bool write(int ranks, const Program& part) {
    std::vector<Part> parts;
    for (int r = 0; r < ranks; ++r) parts.push_back(part(r));
    if (world_rank() == 0) std::ofstream(path, std::ios::binary) << trace_text(parts);
    PMPI_Barrier(MPI_COMM_WORLD);
    group_ = first_ranks(ranks);
    return static_cast<bool>(group_);
  }
  static Options with_file(Options options = {}) {
    options.emplace_back("file", path);
    return options;
  }
  // The calls of one replay on this rank.
  capture::Record calls(const Options& options = {}) {
    MotifBench bench(group_, "replay", with_file(options));
    capture::start();
    perform(bench);
    return capture::stop();
  }
  std::string tokens() { return capture::joined(calls().tokens); }
  int rank() const { return group_.rank(); }
  // The message with which decompose fails, the same on all ranks.
  std::string rejection() {
    const auto motif = make_motif("replay", with_file());
    try {
      motif->decompose(group_, {});
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "file");
      return mistake.what();
    }
    return "";
  }

  mpi::Group group_;
};

// Writes the trace of the program, and ends the test on ranks that are not part of it.
#define STARTING_ON(ranks, ...)                                                \
  if (world_size() < (ranks)) GTEST_SKIP() << "needs " << (ranks) << " ranks"; \
  if (!write(ranks, __VA_ARGS__)) return

int left_of(int rank, int ranks) { return (rank + ranks - 1) % ranks; }
int right_of(int rank, int ranks) { return (rank + 1) % ranks; }

// Halo exchange with both neighbours in a ring, and two dot products.
TEST_F(Replays, ConjugateGradients) {
  STARTING_ON(4, [](int r) {
    const int left = left_of(r, 4), right = right_of(r, 4);
    return Part::loop({reduction("Allreduce", 8)},
                      {to("Irecv", left, 1, 800, 0), to("Irecv", right, 2, 800, 1), to("Isend", left, 2, 800, 2),
                       to("Isend", right, 1, 800, 3), on("Waitall", {0, 1, 2, 3}), reduction("Allreduce", 8),
                       reduction("Allreduce", 16, "MAX")},
                      25);
  });
  const std::string iteration =
      fmt::format("Ir<{0}:1:800 Ir<{1}:2:800 Is>{0}:2:800 Is>{1}:1:800 Wa(4) Allreduce[SUM]:8@4 Allreduce[MAX]:16@4",
                  left_of(rank(), 4), right_of(rank(), 4));
  EXPECT_EQ(tokens(), "Allreduce[SUM]:8@4 " + times(25, iteration));
}

// One rank after the other, as in a sweep over a mesh.
TEST_F(Replays, Sweep) {
  STARTING_ON(4, [](int r) {
    std::vector<Json> step;
    if (r > 0) step.push_back(to("Recv", r - 1, 5, 240));
    if (r < 3) step.push_back(to("Send", r + 1, 5, 240));
    return Part::loop({collective("Bcast", 32)}, step, 40);
  });
  const std::vector<std::string> steps{"S>1:5:240", "R<0:5:240 S>2:5:240", "R<1:5:240 S>3:5:240", "R<2:5:240"};
  EXPECT_EQ(tokens(), "Bcast:32@4 " + times(40, steps[static_cast<std::size_t>(rank())]));
}

// 26 neighbours on a torus that is small enough for a rank to be its own neighbour.
TEST_F(Replays, ExchangeWithTwentySixNeighbours) {
  const auto neighbour = [](int r, int k) { return (r + k) % 2; };
  const auto bytes = [](int k) { return 8 * (k + 1) * (k + 1); };
  STARTING_ON(2, [&](int r) {
    std::vector<Json> step;
    std::vector<int> slots;
    for (int k = 0; k < 26; ++k) step.push_back(to("Irecv", neighbour(r, k), k, bytes(k), k));
    for (int k = 0; k < 26; ++k) step.push_back(to("Isend", neighbour(r, k), k, bytes(k), 26 + k));
    for (int k = 0; k < 52; ++k) slots.push_back(k);
    step.push_back(on("Waitall", slots));
    return Part::loop({}, step, 3);
  });
  std::string step;
  for (int k = 0; k < 26; ++k) step += fmt::format("Ir<{}:{}:{} ", neighbour(rank(), k), k, bytes(k));
  for (int k = 0; k < 26; ++k) step += fmt::format("Is>{}:{}:{} ", neighbour(rank(), k), k, bytes(k));
  EXPECT_EQ(tokens(), times(3, step + "Wa(52)"));
}

TEST_F(Replays, PersistentRequestsAreMadeOnceAndStartedOften) {
  STARTING_ON(2, [](int r) {
    Part part = Part::loop({to("Recv_init", 1 - r, 3, 64, 0), to("Send_init", 1 - r, 3, 64, 1)},
                           {on("Startall", {0, 1}), on("Waitall", {1, 0})}, 10);
    return part;
  });
  const std::string expected =
      fmt::format("Ri<{0}:3:64 Si>{0}:3:64 ", 1 - rank()) + times(10, "St(2) Wa(2)") + " Request_free Request_free";
  EXPECT_EQ(tokens(), expected);  // the program left them to MPI_Finalize; the replay frees them to start again
}

TEST_F(Replays, PersistentRequestsAreFreedWhereTheProgramFreesThem) {
  STARTING_ON(2, [](int r) {
    return Part::loop({},
                      {to(r == 0 ? "Recv_init" : "Send_init", 1 - r, 3, 64, 0), on("Start", {0}), on("Wait", {0}),
                       on("Request_free", {0})},
                      3);
  });
  EXPECT_EQ(tokens(), times(3, fmt::format("{} St(1) W(1) Request_free", rank() == 0 ? "Ri<1:3:64" : "Si>0:3:64")));
}

TEST_F(Replays, RingOfSendrecv) {
  STARTING_ON(4, [](int r) {
    return Part::loop(
        {},
        {with(with(with(to("Sendrecv", right_of(r, 4), 9, 80), "source", left_of(r, 4)), "receive_tag", 9),
              "receive_bytes", 160)},
        7);
  });
  EXPECT_EQ(tokens(), times(7, fmt::format("SR>{}:80<{}:160", right_of(rank(), 4), left_of(rank(), 4))));
}

TEST_F(Replays, NonblockingCollectives) {
  STARTING_ON(2, [](int) {
    const auto nonblocking = [](Json call, int request) { return with(std::move(call), "request", request); };
    return Part::loop({},
                      {nonblocking(reduction("Iallreduce", 24), 0), nonblocking(collective("Ialltoall", 16), 1),
                       nonblocking(with(collective("Ibcast", 40), "root", 1), 2), on("Wait", {1}),
                       nonblocking(collective("Ibarrier", 0), 1), on("Waitall", {0, 2, 1})},
                      4);
  });
  EXPECT_EQ(tokens(), times(4, "Iallreduce[SUM]:24@2 Ialltoall:16@2 Ibcast:40@2 W(1) Ibarrier:0@2 Wa(3)"));
}

Json comm(int slot, int size, int rank, const Json& members) {
  return {{"slot", slot}, {"size", size}, {"rank", rank}, {"members", members}, {"inter", false}};
}

// Communicators of ranks 0, 2 and of 1, 3, the higher rank first, each then duplicated. The program does not free the
// duplicates.
TEST_F(Replays, SubCommunicators) {
  STARTING_ON(4, [](int r) {
    const int own = r < 2 ? 1 : 0;
    Part part = Part::once({{{"op", "Comm_split"}, {"comm", 0}, {"colour", r % 2}, {"key", -r}, {"made", 2}},
                            {{"op", "Comm_dup"}, {"comm", 2}, {"made", 3}},
                            reduction("Allreduce", 8),
                            collective("Bcast", 16, 2),
                            with(to("Isend", 1 - own, 4, 48, 0), "comm", 3),
                            with(to("Recv", 1 - own, 4, 48), "comm", 3),
                            on("Wait", {0}),
                            {{"op", "Comm_free"}, {"comm", 2}}});
    const Json members = Json::array({Json::array({r % 2 + 2, -2, 2})});
    part.comms = Json::array({comm(2, 2, own, members), comm(3, 2, own, members)});
    return part;
  });
  const int other = (rank() + 2) % 4;
  EXPECT_EQ(tokens(), fmt::format("Comm_split Comm_dup Allreduce[SUM]:8@4 Bcast:16@2 Is>{0}:4:48 R<{0}:4:48 W(1) "
                                  "Comm_free@2 Comm_free@2",
                                  other));
}

// No call of the captured part creates these communicators. Both ranks have two, created in the same order; before
// them, rank 0 has one of its own. They exist again in every iteration, even if the program frees them.
TEST_F(Replays, CommunicatorsThatWereThereBefore) {
  STARTING_ON(3, [](int r) {
    if (r == 2) return Part::once({collective("Barrier", 0)});
    const int first = r == 0 ? 3 : 2;
    Part part = Part::once({with(to("Isend", 1 - r, 1, 8, 0), "comm", first + 1),
                            with(to("Recv", 1 - r, 1, 8), "comm", first + 1),
                            on("Wait", {0}),
                            collective("Bcast", 16, first),
                            {{"op", "Comm_free"}, {"comm", first}},
                            collective("Barrier", 0)});
    const Json pair = Json::array({Json::array({0, 1, 2})});
    if (r == 0) part.comms.push_back(comm(2, 1, 0, Json::array({Json::array({0, 1, 1})})));
    part.comms.push_back(comm(first, 2, r, pair));
    part.comms.push_back(comm(first + 1, 2, r, pair));
    return part;
  });
  MotifBench bench(group_, "replay", with_file());
  for (int i = 0; i < 2; ++i) {
    capture::start();
    perform(bench);
    EXPECT_EQ(
        capture::joined(capture::stop().tokens),
        rank() == 2 ? "Barrier:0@3" : fmt::format("Is>{0}:1:8 R<{0}:1:8 W(1) Bcast:16@2 Barrier:0@3", 1 - rank()));
  }
}

TEST_F(Replays, CommunicatorsThatNotAllMembersKnowAreRefused) {
  STARTING_ON(2, [](int r) {
    Part part = Part::once({collective("Barrier", 0)});
    if (r == 0) part.comms = Json::array({comm(2, 2, r, Json::array({Json::array({0, 1, 2})}))});
    return part;
  });
  EXPECT_THAT(rejection(), HasSubstr("some ranks used a communicator that was made before the captured part"));
}

// Only ranks 1 and 2 create a communicator; ranks 0 and 3 do not take part.
TEST_F(Replays, CommunicatorsThatOnlyTheirMembersMake) {
  STARTING_ON(4, [](int r) {
    if (r == 0 || r == 3) return Part::once({collective("Barrier", 0)});
    Part part = Part::once({with(Json{{"op", "Comm_create_group"}, {"comm", 0}, {"made", 2}}, "tag", 6),
                            collective("Bcast", 8, 2), collective("Barrier", 0)});
    part.comms = Json::array({comm(2, 2, 2 - r, Json::array({Json::array({2, -1, 2})}))});
    return part;
  });
  EXPECT_EQ(tokens(),
            rank() == 0 || rank() == 3 ? "Barrier:0@4" : "Comm_create_group:6 Bcast:8@2 Barrier:0@4 Comm_free@2");
}

// MPI_Comm_create: the groups are derived from the communicators that resulted. Rank 1 is in none.
TEST_F(Replays, OtherCreatorsAsSplits) {
  STARTING_ON(4, [](int r) {
    Part part = Part::once({{{"op", "Comm_create"}, {"comm", 0}, {"made", r == 1 ? Json(nullptr) : Json(2)}}});
    if (r != 1) {
      part.comms =
          Json::array({comm(2, 3, (3 - r + 1) / 2, Json::array({Json::array({3, -1, 2}), Json::array({0, 1, 1})}))});
    }
    return part;
  });
  EXPECT_EQ(tokens(), rank() == 1 ? "Comm_split" : "Comm_split Comm_free@3");
}

TEST_F(Replays, MeshesWithTheirNeighbours) {
  STARTING_ON(4, [](int r) {
    Part part = Part::once({{{"op", "Cart_create"}, {"comm", 0}, {"dims", {2, 2}}, {"periods", {1, 0}}, {"made", 2}},
                            collective("Neighbor_alltoall", 24, 2)});
    part.comms = Json::array({comm(2, 4, r, Json::array({Json::array({0, 1, 4})}))});
    return part;
  });
  EXPECT_EQ(tokens(), "Cart_create:2 Neighbor_alltoall:24@4 Comm_free@4");
}

TEST_F(Replays, PlanesOfMeshesWithTheirNeighbours) {
  STARTING_ON(4, [](int r) {
    Part part = Part::once({{{"op", "Cart_create"}, {"comm", 0}, {"dims", {2, 2}}, {"periods", {1, 0}}, {"made", 2}},
                            {{"op", "Cart_sub"}, {"comm", 2}, {"remain", {0, 1}}, {"made", 3}},
                            collective("Neighbor_alltoall", 24, 3)});
    part.comms = Json::array({comm(2, 4, r, Json::array({Json::array({0, 1, 4})})),
                              comm(3, 2, r % 2, Json::array({Json::array({r / 2 * 2, 1, 2})}))});
    return part;
  });
  EXPECT_EQ(tokens(), "Cart_create:2 Cart_sub@2 Neighbor_alltoall:24@2 Comm_free@4 Comm_free@2");
}

// The program freed the first mesh, and the library gave the second one its handle. A trace numbers communicators by
// handle, size and members, so the buffers of the exchange cannot be known.
TEST_F(Replays, NeighboursInOneOfTwoMeshesOfTheSameNumberAreRefused) {
  STARTING_ON(1, [](int) {
    const auto mesh = [](const Json& dims) {
      return Json{{"op", "Cart_create"}, {"comm", 0}, {"dims", dims}, {"periods", dims}, {"made", 2}};
    };
    Part part = Part::once({{{"op", "Comm_dup"}, {"comm", 2}, {"made", 3}},
                            mesh(Json::array({1})),
                            mesh(Json::array({1, 1})),
                            collective("Neighbor_alltoall", 24, 3)});
    part.comms = Json::array({comm(2, 1, 0, nullptr), comm(3, 1, 0, nullptr)});
    return part;
  });
  EXPECT_THAT(rejection(), HasSubstr("call 3 (MPI_Neighbor_alltoall): its communicator has the number of another one"));
}

// A trace contains a rank's own neighbours, whichever call defined the graph. Rank 3 is in no graph: a split excludes
// it first.
TEST_F(Replays, GraphsWithTheirNeighbours) {
  STARTING_ON(4, [](int r) {
    const Json neighbours = r == 1 ? Json{0, 2} : Json::array({1});
    Json graph{{"op", "Graph_create"}, {"comm", 0}, {"made", 2}, {"sources", neighbours}, {"destinations", neighbours}};
    if (r == 3) return Part::once({{{"op", "Graph_create"}, {"comm", 0}, {"made", nullptr}}});
    Part part = Part::once({graph, collective("Neighbor_alltoall", 24, 2)});
    part.comms = Json::array({comm(2, 3, r, Json::array({Json::array({0, 1, 3})}))});
    return part;
  });
  const int degree = rank() == 1 ? 2 : 1;
  EXPECT_EQ(tokens(), rank() == 3 ? "Comm_split"
                                  : fmt::format("Comm_split Dist_graph:{0}:{0}@3 Comm_free@3 Neighbor_alltoall:24@3 "
                                                "Comm_free@3",
                                                degree));
}

// The library of the captured run reordered the ranks of the mesh: a split on all ranks reproduces the order.
TEST_F(Replays, MeshesWhoseRanksWereReordered) {
  STARTING_ON(4, [](int r) {
    const bool member = r < 3;
    const int place = r == 0 ? 0 : 3 - r;  // 0 2 1
    Part part = Part::once({{{"op", "Cart_create"},
                             {"comm", 0},
                             {"dims", Json::array({3})},
                             {"periods", Json::array({0})},
                             {"made", member ? Json(2) : Json(nullptr)}}});
    if (!member) return part;
    Part with_exchange = Part::once({part.calls[0].get<Json>()});
    with_exchange.calls[0]["n"] = 1;
    with_exchange.calls.push_back(
        with(with(to("Sendrecv", (place + 1) % 3, 0, 8), "source", (place + 2) % 3), "comm", 2));
    with_exchange.rules = Json::array({Json::array({Json::array({0, 1}), Json::array({1, 1})})});
    with_exchange.length = 2;
    with_exchange.comms = Json::array({comm(2, 3, place, nullptr)});
    return with_exchange;
  });
  const std::vector<std::string> exchanged{"SR>2:8<1:8", "SR>0:8<2:8", "SR>1:8<0:8"};
  EXPECT_EQ(tokens(), rank() == 3 ? "Comm_split"
                                  : "Comm_split Cart_create:1 Comm_free@3 " +
                                        exchanged[static_cast<std::size_t>(rank())] + " Comm_free@3");
}

// Replayed with the sender and the tag of the message that arrived.
TEST_F(Replays, ReceivesFromAnySource) {
  STARTING_ON(3, [](int r) {
    if (r > 0) return Part::once({to("Send", 0, 10 + r, 8 * r)});
    return Part::once({with(to("Recv", 2, 12, 100 * 8), "any", "source"),
                       with(to("Irecv", 1, 11, 100 * 8, 0), "any", "both"), on("Wait", {0})});
  });
  const std::vector<std::string> expected{"R<2:12:800 Ir<1:11:800 W(1)", "S>0:11:8", "S>0:12:16"};
  EXPECT_EQ(tokens(), expected[static_cast<std::size_t>(rank())]);
}

TEST_F(Replays, CollectivesWithSizesOfTheirOwnForEachRank) {
  STARTING_ON(2, [](int r) {
    Json gather = collective("Gatherv", 8 * (r + 1));
    Json scatter = collective("Scatterv", r == 0 ? 24 : 16);
    if (r == 0) gather["receive_counts"] = {8, 16};
    if (r == 0) scatter["counts"] = {8, 16};
    return Part::loop({},
                      {with(collective("Allgatherv", 8 * (r + 1)), "receive_counts", {8, 16}),
                       with(with(collective("Alltoallv", 8), "counts", r == 0 ? Json{0, 8} : Json{8, 0}),
                            "receive_counts", r == 0 ? Json{0, 8} : Json{8, 0}),
                       gather, scatter, with(reduction("Reduce_scatter", 24), "receive_counts", {16, 8})},
                      2);
  });
  const auto expected = fmt::format(
      "Allgatherv:24@2 Alltoallv:8@2 Gatherv:{0}@2 Scatterv:{0}@2 Reduce_scatter[SUM]:24@2", rank() == 0 ? 8 : 16);
  EXPECT_EQ(tokens(), times(2, expected));
}

TEST_F(Replays, ReductionsOnTheirTypeAndWithTheirOperation) {
  STARTING_ON(2, [](int) {
    Json pairs = reduction("Allreduce", 24, "MAXLOC");  // 12 bytes each, 16 in memory
    pairs["unit"] = 12;
    pairs["type"] = "DOUBLE_INT";
    Json own = reduction("Reduce", 40, "USER");
    Json derived = reduction("Reduce", 48, "SUM");
    derived.erase("type");
    return Part::once({pairs, own, derived, with(reduction("Allreduce", 8), "in_place", true)});
  });
  EXPECT_EQ(tokens(), "Allreduce[MAXLOC]:24@2 Reduce[?]:40@2 Reduce[?]:48@2 Allreduce[SUM]:8@2");
}

TEST_F(Replays, WaitanyInTheOrderInWhichThingsHappen) {
  STARTING_ON(3, [](int r) {
    if (r > 0) return Part::once({to("Send", 0, r, 8)});
    return Part::once({to("Irecv", 1, 1, 8, 0), to("Irecv", 2, 2, 80, 1), some("Waitany", {0, 1}, {1}),
                       some("Waitany", {0, 1}, {0}), some("Waitany", {0, 1}, {})});
  });
  const std::vector<std::string> expected{"Ir<1:1:8 Ir<2:2:80 Wy(2) Wy(2) Wy(2)", "S>0:1:8", "S>0:2:8"};
  EXPECT_EQ(tokens(), expected[static_cast<std::size_t>(rank())]);
}

// In the captured run rank 1's message arrived first. Here it cannot, since rank 1 waits for a message that rank 0
// sends afterwards. A replay that insisted on the captured order would hang.
TEST_F(Replays, WaitanyTakesWhatComes) {
  STARTING_ON(3, [](int r) {
    if (r == 1) return Part::once({to("Recv", 0, 7, 8), to("Send", 0, 1, 16)});
    if (r == 2) return Part::once({to("Send", 0, 2, 800)});
    return Part::once({to("Irecv", 1, 1, 16, 0), to("Irecv", 2, 2, 800, 1), some("Waitany", {0, 1}, {0}),
                       to("Send", 1, 7, 8), to("Irecv", -1, 1, 16, 0), on("Wait", {0}), on("Wait", {1})});
  });
  const std::string null = std::to_string(MPI_PROC_NULL);
  const std::vector<std::string> expected{"Ir<1:1:16 Ir<2:2:800 Wy(2) S>1:7:8 Ir<" + null + ":1:16 W(1) W(1)",
                                          "R<0:7:8 S>0:1:16", "S>0:2:800"};
  EXPECT_EQ(tokens(), expected[static_cast<std::size_t>(rank())]);
}

// More requests complete at once than in the program: those that complete early are not waited for again, and none is
// lost.
TEST_F(Replays, WaitsomeSeesWhatTheProgramSawAtLeast) {
  STARTING_ON(2, [](int r) {
    if (r == 1) {
      return Part::loop({}, {to("Send", 0, 1, 8), to("Send", 0, 2, 8), to("Send", 0, 3, 8), collective("Barrier", 0)},
                        5);
    }
    return Part::loop(
        {},
        {to("Irecv", 1, 1, 8, 0), to("Irecv", 1, 2, 8, 1), to("Irecv", 1, 3, 8, 2), collective("Barrier", 0),
         some("Waitsome", {0, 1, 2}, {2}), some("Testsome", {0, 1, 2}, {1}), on("Wait", {0})},
        5);
  });
  const capture::Record record = calls();
  EXPECT_EQ(record.sent.messages, rank() == 1 ? 15 : 0);
  if (rank() == 0) {
    EXPECT_EQ(std::ranges::count(record.tokens, "W(1)"), 5);
    EXPECT_EQ(std::ranges::count(record.tokens, "Ws(3)"), 5);
  }
}

// A persistent request keeps its index, whichever completes first. Rank 2's message arrives first, since rank 1
// computes before it sends, but in the program rank 1's was first and its receive was started again. If the two changed
// places, the restarted receive would wait for a second message of rank 2, which never comes.
TEST_F(Replays, PersistentRequestsKeepTheirPlaceWhenAnotherIsFirst) {
  STARTING_ON(3, [](int r) {
    if (r == 2) return Part::once({to("Send", 0, 2, 8), to("Send", 0, 9, 8)});
    if (r == 1) {
      Part part = Part::loop({}, {to("Send", 0, 1, 8)}, 2);
      part.gaps = Json::array({Json::array({-1, 0, 1, 0.03, 0.03, 0.03, 0, Json::array({Json::array({38, 1})})})});
      return part;
    }
    return Part::once({to("Recv_init", 1, 1, 8, 0), to("Recv_init", 2, 2, 8, 1), on("Startall", {0, 1}),
                       to("Recv", 2, 9, 8), some("Waitany", {0, 1}, {0}), on("Start", {0}),
                       some("Waitany", {0, 1}, {0}), some("Waitany", {0, 1}, {1})});
  });
  const capture::Record record = calls();
  if (rank() == 0) {
    EXPECT_EQ(std::ranges::count(record.tokens, "Wy(2)"), 3);
    EXPECT_EQ(std::ranges::count(record.tokens, "St(1)"), 1);
  }
}

// A ring of persistent requests that the program created before the captured part, which the calls that start them
// name.
TEST_F(Replays, PersistentRequestsFromBeforeTheTraceAreCreatedOnce) {
  STARTING_ON(2, [](int r) {
    Part part = Part::loop({}, {with(on("Startall", {0, 1}), "inits", {2, 3}), on("Waitall", {0, 1})}, 3);
    part.calls.push_back(to("Recv_init", 1 - r, 5, 24, 0));
    part.calls.push_back(to("Send_init", 1 - r, 5, 24, 1));
    return part;
  });
  const auto motif = make_motif("replay", with_file());
  motif->decompose(group_, {});
  const MonotonicClock clock;
  Recorder recorder(clock);
  for (int repetition = 0; repetition < 2; ++repetition) {
    capture::start();
    motif->perform(recorder);
    const capture::Record record = capture::stop();
    EXPECT_EQ(capture::joined(record.tokens), times(3, "St(2) Wa(2)"));
    EXPECT_EQ(record.sent.messages, 3);
    EXPECT_EQ(record.sent.message_bytes, 72);
  }
}

// The program's wait is not in the trace, and the other rank's message only comes in the next repetition.
TEST_F(Replays, PersistentRequestsFromBeforeTheTraceAreCreatedAnewWhereTheirMessagesArePending) {
  STARTING_ON(1, [](int) {
    Part part = Part::once({with(on("Start", {0}), "inits", {1})});
    part.calls.push_back(to("Recv_init", 0, 5, 24, 0));
    return part;
  });
  const std::string repetition = "St(1) Request_free Ri<0:5:24";
  EXPECT_EQ(tokens(), repetition);
}

// Each iteration frees the request of the one before, and leaves its own.
TEST_F(Replays, PersistentRequestsThatEachIterationReplacesAreCreatedOnceBefore) {
  STARTING_ON(2, [](int r) {
    const char* const init = r == 0 ? "Recv_init" : "Send_init";
    Part part =
        Part::loop({}, {on("Request_free", {0}), to(init, 1 - r, 3, 64, 0), on("Start", {0}), on("Wait", {0})}, 2);
    part.calls[0]["inits"] = {1};
    return part;
  });
  EXPECT_EQ(tokens(), times(2, fmt::format("Request_free {} St(1) W(1)", rank() == 0 ? "Ri<1:3:64" : "Si>0:3:64")));
}

TEST_F(Replays, TestsThatSucceededUntilTheySucceed) {
  STARTING_ON(2, [](int r) {
    if (r == 1) return Part::once({to("Send", 0, 1, 8), to("Send", 0, 2, 8), to("Send", 0, 3, 8)});
    return Part::once({to("Irecv", 1, 1, 8, 0),
                       on("Test", {0}),
                       to("Irecv", 1, 2, 8, 0),
                       on("Testall", {0}),
                       {{"op", "Iprobe"}, {"comm", 0}, {"peer", 1}, {"tag", 3}},
                       to("Recv", 1, 3, 8)});
  });
  const capture::Record record = calls();
  if (rank() == 0) {
    EXPECT_EQ(capture::joined(record.tokens), "Ir<1:1:8 Ir<1:2:8 R<1:3:8");
    EXPECT_EQ(std::ranges::count(record.tests, "1:Test(1)") + std::ranges::count(record.tests, "2:Testall(1)"),
              static_cast<std::ptrdiff_t>(record.tests.size()));
  }
}

TEST_F(Replays, MatchedProbesWithTheirReceives) {
  STARTING_ON(2, [](int r) {
    if (r == 1) return Part::once({to("Send", 0, 1, 8), to("Send", 0, 2, 16), to("Send", 0, 3, 24)});
    const auto probe = [](const char* op, int tag) { return Json{{"op", op}, {"comm", 0}, {"peer", 1}, {"tag", tag}}; };
    return Part::once({probe("Mprobe", 1), probe("Improbe", 2), to("Mrecv", 1, 2, 16), to("Imrecv", 1, 1, 8, 0),
                       on("Wait", {0}), probe("Probe", 3), to("Recv", 1, 3, 24)});
  });
  EXPECT_EQ(tokens(), rank() == 0 ? "W(1) R<1:3:24" : "S>0:1:8 S>0:2:16 S>0:3:24");
}

TEST_F(Replays, BufferedSends) {
  STARTING_ON(2, [](int r) {
    return Part::loop({}, {to("Bsend", 1 - r, 1, 80'000), to("Recv", 1 - r, 1, 80'000)}, 30);
  });
  EXPECT_EQ(tokens(), times(30, fmt::format("R<{}:1:80000", 1 - rank())));
}

TEST_F(Replays, WhatWasCancelled) {
  STARTING_ON(1, [](int) {
    return Part::once({to("Irecv", 0, 1, 8, 0), on("Cancel", {0}), on("Wait", {0}), to("Irecv", 0, 2, 8, 0)});
  });
  EXPECT_EQ(tokens(), "Ir<0:1:8 Cancel W(1) Ir<0:2:8 Cancel W(1)");  // the last two: the program left it open
}

// Open MPI 4 crashes if a receive is cancelled twice.
TEST_F(Replays, WhatWasCancelledAndNotWaitedForIsNotCancelledAgain) {
  STARTING_ON(1, [](int) {
    return Part::once({to("Irecv", 0, 1, 8, 0), on("Cancel", {0}), to("Irecv", 0, 2, 8, 0), on("Cancel", {0})});
  });
  EXPECT_EQ(tokens(), "Ir<0:1:8 Cancel Ir<0:2:8 Cancel W(1) W(1)");
}

// The wait for the first receive is not in the trace: a later message would arrive in memory that is no longer there.
TEST_F(Replays, WhoseSlotAnotherTakesAreEndedToo) {
  STARTING_ON(1, [](int) { return Part::once({to("Irecv", 0, 1, 8, 0), to("Irecv", 0, 2, 8, 0)}); });
  EXPECT_EQ(tokens(), "Ir<0:1:8 Ir<0:2:8 Cancel W(1) Cancel W(1)");
}

TEST_F(Replays, LeaveFilesOutAndWaitForNothingOfTheirs) {
  STARTING_ON(1, [](int) {
    return Part::once({{{"op", "File_open"}, {"comm", 0}, {"file", 0}},
                       {{"op", "File_iwrite_at"}, {"file", 0}, {"bytes", 8}, {"request", 0}},
                       to("Irecv", -1, 0, 8, 1),
                       some("Waitany", {0, 1}, {0}),
                       on("Waitall", {0, 1}),
                       {{"op", "File_close"}, {"file", 0}}});
  });
  const std::string null = std::to_string(MPI_PROC_NULL);
  EXPECT_EQ(tokens(), "Ir<" + null + ":0:8 Wa(2)");
}

// Each scratch file has contents from the start, as long as the furthest read.
TEST_F(Replays, FileCallsOnScratchFilesWhereAFolderIsGiven) {
  STARTING_ON(2, [](int r) {
    const auto file = [](const char* op, int bytes) { return Json{{"op", op}, {"file", 1}, {"bytes", bytes}}; };
    return Part::once({{{"op", "File_open"}, {"comm", 0}, {"file", 1}, {"amode", MPI_MODE_RDWR | MPI_MODE_CREATE}},
                       with(file("File_write_at_all", 100), "offset", 100 * r),
                       file("File_seek", 0),
                       file("File_write", 8 * (r + 1)),
                       with(file("File_read_at", 50), "offset", 950),
                       file("File_sync", 0),
                       file("File_close", 0)});
  });
  const Options options = with_file({{"files", "."}});
  {
    MotifBench bench(group_, "replay", options);
    EXPECT_EQ(std::filesystem::file_size("replay-3.0-2.1"), 1000u);
    capture::start();
    perform(bench);
    EXPECT_EQ(capture::joined(capture::stop().tokens),
              fmt::format("File_open@2 File_write_at_all:{}:100 File_seek:0 File_write:{} File_sync File_close",
                          100 * rank(), 8 * (rank() + 1)));
    EXPECT_EQ(bench->traffic(2).file_bytes, 2 * 100 + 8 + 16 + 2 * 50);
    group_.barrier();
  }
  group_.barrier();
  EXPECT_FALSE(std::filesystem::exists("replay-3.0-2.1"));
}

// Offsets in a view are in etypes; reads with the shared pointer follow one another.
TEST_F(Replays, FilesAsLargeAsViewsAndSharedPointersReach) {
  STARTING_ON(2, [](int) {
    const auto file = [](const char* op, int bytes) {
      return Json{{"op", op}, {"file", 0}, {"bytes", bytes}, {"unit", 8}, {"type", "DOUBLE"}};
    };
    Json view = file("File_set_view", 0);
    view.erase("bytes");
    return Part::once({{{"op", "File_open"}, {"comm", 0}, {"file", 0}, {"amode", MPI_MODE_RDWR}},
                       with(with(view, "offset", 16), "filetype", {8, 8}),
                       file("File_read_shared", 80),
                       with(with(file("File_iread_at", 8), "offset", 10), "request", 0),
                       on("Wait", {0}),
                       file("File_close", 0)});
  });
  MotifBench bench(group_, "replay", with_file({{"files", "."}}));
  EXPECT_EQ(std::filesystem::file_size("replay-3.0-2.0"), 16 + 8 * 10 + 8 + 2 * 80u);
  capture::start();
  perform(bench);
  const capture::Record record = capture::stop();
  EXPECT_EQ(capture::joined(record.tokens),
            "File_open@2 File_set_view:16/8 File_read_shared:80 File_iread_at:10:8 W(1) File_close");
  EXPECT_EQ(2 * record.sent.file_bytes, bench->traffic(2).file_bytes);
  group_.barrier();
}

TEST_F(Replays, ViewsWithHolesAreRefused) {
  STARTING_ON(1, [](int) {
    return Part::once({{{"op", "File_open"}, {"comm", 0}, {"file", 0}, {"amode", MPI_MODE_RDWR}},
                       {{"op", "File_set_view"}, {"file", 0}, {"offset", 0}, {"unit", 8}, {"filetype", {8, 32}}}});
  });
  const auto motif = make_motif("replay", with_file({{"files", "."}}));
  EXPECT_THAT([&] { motif->decompose(group_, {}); },
              testing::ThrowsMessage<ParameterMistake>(HasSubstr("sees 8 of every 32 bytes of its file")));
}

Json window(const char* op, const char* key, const Json& value) { return {{"op", op}, {"window", 0}, {key, value}}; }
Json reaching(const char* op, int peer, int bytes, int displacement) {
  return {{"op", op},
          {"window", 0},
          {"peer", peer},
          {"bytes", bytes},
          {"unit", 8},
          {"type", "DOUBLE"},
          {"displacement", displacement}};
}

// The program leaves the window to MPI_Finalize; the replay frees it, to be able to start again.
TEST_F(Replays, OneSidedCalls) {
  STARTING_ON(2, [](int r) {
    const Json made = with(with(window("Win_create", "size", 512), "unit", 8), "comm", 0);
    return Part::loop({made},
                      {window("Win_fence", "assertion", Json::array({"NOPRECEDE"})), reaching("Put", 1 - r, 64, 4),
                       with(reaching("Accumulate", 1 - r, 16, 60), "reduction", "SUM"), reaching("Put", -1, 8, 0),
                       window("Win_fence", "assertion", Json::array())},
                      3);
  });
  const std::string null = std::to_string(MPI_PROC_NULL);
  const Traffic announced = make_motif("replay", with_file())->traffic(2);
  const capture::Record record = calls();
  EXPECT_EQ(capture::joined(record.tokens),
            "Win_create:512/8@2 " +
                times(3, fmt::format("Fence[NOPRECEDE] Put>{0}:4:64 Acc[SUM]>{0}:60:16 Put>{1}:0:8 Fence", 1 - rank(),
                                     null)) +
                " Win_free");
  EXPECT_EQ(announced.messages, 2 * record.sent.messages);
  EXPECT_EQ(announced.message_bytes, 2 * record.sent.message_bytes);
}

TEST_F(Replays, OneSidedCallsUnderLocks) {
  STARTING_ON(2, [](int r) {
    const Json made = with(with(window("Win_create", "size", 256), "unit", 1), "comm", 0);
    return Part::loop(
        {made},
        {with(window("Win_lock", "peer", 1 - r), "lock", "exclusive"), reaching("Put", 1 - r, 8, 0),
         with(reaching("Rget", 1 - r, 8, 8), "request", 0), on("Wait", {0}), window("Win_unlock", "peer", 1 - r)},
        2);
  });
  MotifBench bench(group_, "replay", with_file());
  capture::start();
  perform(bench);
  EXPECT_EQ(capture::joined(capture::stop().tokens),
            "Win_create:256/1@2 " +
                times(2, fmt::format("Lock!:{0} Put>{0}:0:8 Rget>{0}:8:8 W(1) Unlock:{0}", 1 - rank())) + " Win_free");
}

// Only rank 0 has memory.
Program putting_at(int displacement) {
  return [displacement](int r) {
    const Json made = with(with(window("Win_create", "size", r == 0 ? 64 : 0), "unit", 8), "comm", 0);
    const Json fence = window("Win_fence", "assertion", Json::array());
    return Part::once({made, fence, reaching("Put", 0, 8, displacement), fence});
  };
}

TEST_F(Replays, AccessesThatAreComparedWithTheMemoryOfTheirPartner) {
  STARTING_ON(2, putting_at(7));
  EXPECT_EQ(tokens(),
            fmt::format("Win_create:{}/8@2 Allgather:16@2 Fence Put>0:7:8 Fence Win_free", rank() == 0 ? 64 : 0));
}

TEST_F(Replays, AccessesOutsideOfAllWindowsAreRefused) {
  STARTING_ON(2, putting_at(8));
  EXPECT_THAT(rejection(), HasSubstr("(MPI_Put): reaches 8 bytes at displacement 8; the largest window has 64 bytes"));
}

// Without windows of MPI: after a fault nobody would free them, and MPICH checks that at the end.
TEST_F(Replays, AccessesOutsideOfTheMemoryOfTheirPartnerAreFaults) {
  replay::Windows windows({8, 64});
  windows.compare_accesses();
  windows.exchange_extents({.window = 0, .size = 8, .unit = 8}, MPI_COMM_WORLD);
  windows.exchange_extents({.window = 1, .size = 64, .unit = 8}, MPI_COMM_WORLD);
  EXPECT_EQ(windows.accessed({.window = 0, .displacement = 0, .bytes = 8}, 0), MPI_WIN_NULL);
  EXPECT_EQ(windows.accessed({.window = 1, .displacement = 1, .bytes = 8}, 0), MPI_WIN_NULL);
  EXPECT_THAT([&] { windows.accessed({.window = 0, .displacement = 1, .bytes = 8}, 0); },
              testing::ThrowsMessage<MachineFault>(
                  HasSubstr("reaches 8 bytes at displacement 1 of window 0; the memory of rank 0 has 8 bytes")));
}

// The trace states that the split leaves both ranks together; by its colours each is alone.
TEST_F(Replays, CommunicatorsOfAnotherSizeThanTheTraceStatesAreFaults) {
  STARTING_ON(2, [](int r) {
    Part part = Part::once(
        {{{"op", "Comm_split"}, {"comm", 0}, {"colour", r}, {"key", 0}, {"made", 2}}, collective("Allgather", 8, 2)});
    part.comms = Json::array({comm(2, 2, r, Json::array({Json::array({0, 1, 2})}))});
    return part;
  });
  MotifBench bench(group_, "replay", with_file());
  EXPECT_THAT([&] { bench.perform(); }, testing::ThrowsMessage<MachineFault>(
                                            HasSubstr("the trace is inconsistent: its communicator 2 has 2 ranks")));
}

TEST_F(Replays, EpochsThatAreNotWholeAreRefused) {
  STARTING_ON(1, [](int) {
    return Part::once({with(with(window("Win_allocate", "size", 8), "unit", 1), "comm", 0),
                       with(window("Win_lock", "peer", 0), "lock", "shared")});
  });
  EXPECT_THAT(rejection(), HasSubstr("rank 0: the captured part begins or ends between MPI_Win_lock and MPI_Win_unlock "
                                     "of window 0"));
}

TEST_F(Replays, NobodysFilesAreOverwritten) {
  STARTING_ON(1, [](int) {
    return Part::once({{{"op", "File_open"}, {"comm", 0}, {"file", 0}, {"amode", MPI_MODE_RDWR}}});
  });
  std::ofstream("replay-0.0-1.0") << "precious";
  const auto motif = make_motif("replay", with_file({{"files", "."}}));
  EXPECT_THAT([&] { motif->decompose(group_, {}); },
              testing::ThrowsMessage<ParameterMistake>(HasSubstr("--files: './replay-0.0-1.0' exists; remove it")));
  EXPECT_EQ(std::filesystem::file_size("replay-0.0-1.0"), 8u);
  std::filesystem::remove("replay-0.0-1.0");
}

// A directory in which others may write can contain a link with the name of the scratch file.
TEST_F(Replays, NobodysLinksAreFollowed) {
  STARTING_ON(1, [](int) {
    return Part::once({{{"op", "File_open"}, {"comm", 0}, {"file", 0}, {"amode", MPI_MODE_RDWR}}});
  });
  std::filesystem::create_symlink("made-by-a-link", "replay-0.0-1.0");
  const auto motif = make_motif("replay", with_file({{"files", "."}}));
  EXPECT_THAT([&] { motif->decompose(group_, {}); },
              testing::ThrowsMessage<ParameterMistake>(HasSubstr("--files: './replay-0.0-1.0' exists; remove it")));
  EXPECT_FALSE(std::filesystem::exists("made-by-a-link"));
  std::filesystem::remove("replay-0.0-1.0");
}

TEST_F(Replays, TheSameAgainInEveryIteration) {
  STARTING_ON(2, [](int r) {
    Part part = Part::once({{{"op", "Comm_dup"}, {"comm", 0}, {"made", 2}},
                            with(to(r == 0 ? "Recv_init" : "Send_init", 1 - r, 3, 64, 0), "comm", 2),
                            on("Start", {0}),
                            on("Wait", {0})});
    part.comms = Json::array({comm(2, 2, r, Json::array({Json::array({0, 1, 2})}))});
    return part;
  });
  MotifBench bench(group_, "replay", with_file());
  std::vector<std::string> rounds;
  for (int i = 0; i < 3; ++i) {
    capture::start();
    perform(bench);
    rounds.push_back(capture::joined(capture::stop().tokens));
  }
  EXPECT_THAT(rounds, testing::Each(rounds[0]));
}

TEST_F(Replays, AMillionIterationsAllocateNothing) {
  STARTING_ON(1, [](int) { return Part::loop({}, {reduction("Allreduce", 8)}, 1'000'000); });
  MotifBench bench(group_, "replay", with_file());
  const std::int64_t before = allocations();
  perform(bench);
  EXPECT_EQ(allocations() - before, 0);
}

TEST_F(Replays, AllocateNothingWhileTheyComputeCompleteAndCreate) {
  STARTING_ON(2, [](int r) {
    Part part = Part::loop({{{"op", "Comm_dup"}, {"comm", 0}, {"made", 2}}},
                           {to("Irecv", 1 - r, 1, 8, 0),
                            to("Isend", 1 - r, 1, 8, 1),
                            some("Waitany", {1, 0}, {0}),
                            some("Waitsome", {1, 0}, {1}),
                            {{"op", "Improbe"}, {"comm", 0}, {"peer", -1}, {"tag", 1}},
                            to("Mrecv", -1, 1, 8)},
                           100);
    part.comms = Json::array({comm(2, 2, r, Json::array({Json::array({0, 1, 2})}))});
    part.gaps = Json::array({Json::array({1, 2, 100, 1e-5, 1e-7, 1e-7, 0, Json::array({Json::array({2, 100})})})});
    return part;
  });
  MotifBench bench(group_, "replay", with_file());
  const std::int64_t before = allocations();
  perform(bench);
  EXPECT_EQ(allocations() - before, 0);
}

TEST_F(Replays, SendWhatTheySayTheySend) {
  STARTING_ON(2, [](int r) {
    Json gather = collective("Gatherv", 8);
    if (r == 0) gather["receive_counts"] = {8, 8};
    Part part = Part::loop({},
                           {to("Isend", 1 - r, 1, 80, 0), to("Recv", 1 - r, 1, 80), on("Wait", {0}),
                            reduction("Allreduce", 16), collective("Alltoall", 8), gather},
                           6);
    part.peers = Json::array({Json::array({1 - r, 6, 480})});
    return part;
  });
  const Traffic announced = make_motif("replay", with_file())->traffic(2);
  EXPECT_EQ(announced.collectives, 18);
  EXPECT_EQ(announced.collective_bytes, 6 * 2 * (16 + 16 + 8));
  const capture::Record record = calls();
  EXPECT_EQ(2 * record.sent.messages, announced.messages);
  EXPECT_EQ(2 * record.sent.message_bytes, announced.message_bytes);
  EXPECT_EQ(2 * record.sent.collective_bytes, announced.collective_bytes);
}

// The line of one rank is wrong: all ranks report it with the same message.
TEST_F(Replays, AreRefusedOnAllRanksForWhatOneOfThemHas) {
  STARTING_ON(2, [](int r) {
    return Part::once({r == 1 ? Json{{"op", "Win_create_dynamic"}, {"window", 0}} : collective("Barrier", 0)});
  });
  EXPECT_THAT(rejection(),
              HasSubstr("rank 1, call 0 (MPI_Win_create_dynamic): calls MPI_Win_create_dynamic, which cannot "
                        "be replayed: windows to which memory is attached later"));
}

TEST_F(Replays, AreRefusedOnAllRanksWhereTheFileEndsEarly) {
  STARTING_ON(2, [](int) { return Part::once({collective("Barrier", 0)}); });
  if (rank() == 0) {
    std::ofstream(path, std::ios::binary) << sealed(header_of(2)) << sealed(Part::once({}).line(0, 2));
  }
  group_.barrier();
  EXPECT_THAT(rejection(), HasSubstr("line 3: the line of rank 1 is missing; the file is truncated"));
}

TEST_F(Replays, AreRefusedWhereNumbersAreOutOfRange) {
  const auto refused = [&](const Json& call) {
    write(1, [&](int) { return Part::once({call}); });
    return world_rank() == 0 ? rejection() : "";
  };
  const auto expect = [&](const Json& call, const char* words) {
    const std::string message = refused(call);
    EXPECT_THAT(message, HasSubstr(world_rank() == 0 ? words : ""));
  };
  expect(to("Send", 1, 0, 8), "call 0 (MPI_Send): rank 1 in a communicator of 1");
  expect(with(to("Send", 0, 0, 8), "comm", 2), "names communicator 2, but the trace has 2");
  expect(with(collective("Bcast", 8), "root", 3), "root 3 in a communicator of 1 ranks");
  expect(on("Wait", {-2}), "made by a call which is not in the trace");
  expect(with(on("Startall", {0, 1}), "inits", {0, -1}), "(MPI_Startall): call 0 does not create a request in slot 0");
  expect(with(on("Start", {0}), "inits", {7}), "(MPI_Start): call 7 does not create a request in slot 0");
  expect(on("Wait", {0, 1}), "names 2 requests; it takes one");
  expect(some("Waitany", {0}, {1}), "slot 1 completed, but is not among its requests");
  expect(with(collective("Allgatherv", 8), "receive_counts", {8, 8}), "sizes for 2 ranks; there are 1");
  expect(to("Send", 0, 0, -8), "has a message of -8 bytes");
  expect(collective("Neighbor_alltoall", 8), "its communicator was not made by MPI_Cart_create");
  expect({{"op", "Cart_sub"}, {"comm", 0}, {"remain", {1, 0}}, {"made", 1}},
         "keeps some of 2 dimensions, but its communicator was made with none");
  expect(with(collective("Alltoall", 0), "bytes", std::int64_t{1} << 62),
         "elements in one message; at most 2147483647");
  expect({{"op", "Isend"}, {"comm", 0}, {"peer", 0}, {"bytes", 8}}, "does not name the slot of its request");
  expect({{"op", "Put"}, {"window", 0}, {"peer", 0}, {"bytes", 8}},
         "names a window that was made by a call which is not in the trace");
}

class ReplayComputation : public Replays {
 protected:
  // Ten gaps before a Barrier: 2 of 100 ns, 6 of 1000 ns, 2 of 3900 ns.
  bool write_gaps() {
    return write(1, [](int) {
      Part part = Part::loop({}, {collective("Barrier", 0)}, 11);
      part.gaps =
          Json::array({Json::array({0, 0, 10, 14e-6, 1e-7, 3.9e-6, 0,
                                    Json::array({Json::array({2, 2}), Json::array({8, 6}), Json::array({12, 2})})})});
      return part;
    });
  }
  std::int64_t readings(const Options& options) {
    const auto motif = make_motif("replay", with_file(options));
    motif->decompose(group_, {});
    const SteppingClock clock;
    Recorder recorder(clock);
    motif->perform(recorder);
    return clock.readings();
  }
};

// A gap of g ns takes readings until g ns have passed since the end of the previous call.
constexpr std::int64_t readings_without_computation = 1 + 11;  // at the start and after each call

TEST_F(ReplayComputation, TakesTheMeasuredTimeInAll) {
  if (!write_gaps()) return;
  EXPECT_EQ(readings({}), readings_without_computation + 14'000);
}
// 64 KiB are 64 parts, after each of which the clock is read. There are ten gaps of 10 us.
TEST_F(ReplayComputation, WritesWhatWasSent) {
  const auto program = [](int) {
    Part part = Part::loop({}, {reduction("Allreduce", 65536)}, 11);
    part.gaps = Json::array({Json::array({0, 0, 10, 1e-4, 1e-5, 1e-5, 0, Json::array({Json::array({15, 10})})})});
    return part;
  };
  if (!write(1, program)) return;
  const auto readings_with = [&](const std::string& compute) {
    const auto motif = make_motif("replay", with_file({{"compute", compute}}));
    motif->decompose(group_, {});
    const JumpingClock clock;
    Recorder recorder(clock);
    motif->perform(recorder);
    return clock.readings();
  };
  EXPECT_EQ(readings_with("sleep"), readings_without_computation + 10);  // a sleep reads it before it begins
  EXPECT_EQ(readings_with("busy"), readings_without_computation + 10 * 64);
}

// What a nonblocking call sends is written after the call that completes it.
TEST_F(ReplayComputation, WritesWhatWasSentAfterItsCompletion) {
  const auto program = [](int) {
    Part part =
        Part::loop({}, {with(reduction("Iallreduce", 65536), "request", 0), {{"op", "Wait"}, {"requests", {0}}}}, 11);
    part.gaps = Json::array({Json::array({0, 1, 11, 1.1e-4, 1e-5, 1e-5, 0, Json::array({Json::array({15, 11})})}),
                             Json::array({1, 0, 10, 1e-4, 1e-5, 1e-5, 0, Json::array({Json::array({15, 10})})})});
    return part;
  };
  if (!write(1, program)) return;
  const auto motif = make_motif("replay", with_file({}));
  motif->decompose(group_, {});
  const JumpingClock clock;
  Recorder recorder(clock);
  motif->perform(recorder);
  EXPECT_EQ(clock.readings(), 1 + 22 + 10 * 64);
}

TEST_F(ReplayComputation, GoesOnAfterTheLastCall) {
  const auto program = [](int) {
    Part part = Part::once({collective("Barrier", 0)});
    part.tail_s = 5e-6;
    return part;
  };
  if (!write(1, program)) return;
  EXPECT_EQ(readings({{"scale", "2"}}), 1 + 1 + 10'000);
  EXPECT_EQ(readings({{"compute", "off"}}), 0);
  EXPECT_EQ(make_motif("replay", with_file())->traffic(1).compute_s, 5e-6);
}
TEST_F(ReplayComputation, TakesTheMeanEachTime) {
  if (!write_gaps()) return;
  EXPECT_EQ(readings({{"gaps", "mean"}}), readings_without_computation + 14'000);
}
TEST_F(ReplayComputation, TakesEachTimeInItsPlace) {
  const auto program = [](int) {
    Part part = Part::loop({}, {collective("Barrier", 0), reduction("Allreduce", 8)}, 2);
    part.gap_times_ns = {1000, 200, 30, 4};
    return part;
  };
  if (!write(1, program)) return;
  const auto motif = make_motif("replay", with_file({{"gaps", "sequence"}, {"scale", "2"}}));
  motif->decompose(group_, {});
  for (int repetition = 0; repetition < 2; ++repetition) {
    const SteppingClock clock;
    Recorder recorder(clock);
    motif->perform(recorder);
    EXPECT_EQ(clock.readings(), 1 + 4 + 2 * 1234);
  }
}
TEST_F(ReplayComputation, IsRefusedWhereATimeIsMissing) {
  const auto program = [](int) {
    Part part = Part::loop({}, {collective("Barrier", 0)}, 3);
    part.gap_times_ns = {1000, 200};
    return part;
  };
  if (!write(1, program)) return;
  const auto motif = make_motif("replay", with_file({{"gaps", "sequence"}}));
  try {
    motif->check(1);
    FAIL() << "accepted";
  } catch (const ParameterMistake& mistake) {
    EXPECT_THAT(mistake.what(), testing::HasSubstr("rank 0: the trace has the times before 2 of 3 calls"));
  }
  EXPECT_THROW(motif->decompose(group_, {}), ParameterMistake);
}
TEST_F(ReplayComputation, IsScaled) {
  if (!write_gaps()) return;
  EXPECT_EQ(readings({{"scale", "2"}}), readings_without_computation + 28'000);
  EXPECT_EQ(make_motif("replay", with_file({{"scale", "50%"}}))->traffic(1).compute_s, 7e-6);
}
TEST_F(ReplayComputation, IsLeftOut) {
  if (!write_gaps()) return;
  EXPECT_EQ(readings({{"compute", "off"}}), 0);
  EXPECT_EQ(readings({{"scale", "0"}}), 0);
  EXPECT_EQ(make_motif("replay", with_file({{"compute", "off"}}))->traffic(1).compute_s, 0);
}
TEST_F(ReplayComputation, SpinsForProcessorTimeOnRequest) {
  if (!write_gaps()) return;
  const CpuClock cpu;
  const std::int64_t before_ns = cpu.now_ns();
  readings({{"compute", "cpu"}, {"scale", "200"}});
  EXPECT_GE(cpu.now_ns() - before_ns, 200 * 14'000);
}
TEST_F(ReplayComputation, SpinsForWhatIsTooShortToSleep) {
  if (!write_gaps()) return;
  EXPECT_EQ(readings({{"compute", "sleep"}}), readings_without_computation + 14'000);
}
TEST_F(ReplayComputation, LeavesTheClockAloneWhileItSleeps) {
  if (!write_gaps()) return;
  EXPECT_EQ(readings({{"compute", "sleep"}, {"scale", "2000"}}), readings_without_computation + 10);
}

}  // namespace
}  // namespace stressbench::test
