// The sweeps of UMT and their messages, by hand and by the formula.
#include "call_lists.hpp"
#include "motifs/application/umt/domain.hpp"

namespace stressbench::test {
namespace {

// One zone on each rank, one angle in each octant and one group: messages of four doubles.
Options smallest(Options more) {
  Options options{{"zones", "1x1x1"}, {"groups", "1"}, {"order", "2"}, {"temperature-iterations", "1"}};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<int> from_one(const umt::SweepOrder& order) {
  std::vector<int> numbers;
  for (const int octant : order) numbers.push_back(octant + 1);
  return numbers;
}

TEST(Umt, SweepsTheOctantsLastThatWaitForMostNeighboursAndReflections) {
  // Corner of 2x2x2: corners on faces 192 in x, 96 in y, 72 in z. An octant waits for those of the faces through which
  // it comes in: 1: 0, 2: 192, 3: 288, 4: 96, 5: 72, 6: 264, 7: 360, 8: 168; times the reflections:
  // 1: 0, 2: 384, 3: 288, 4: 192, 5: 144, 6: 264, 7: 0, 8: 168.
  const umt::Domain domain({{3, 6, 8}}, {{2, 2, 2}}, 0);
  EXPECT_EQ(from_one(domain.order()), (std::vector{1, 7, 5, 8, 4, 6, 3, 2}));
}

TEST(Umt, DoesNotReflectAtTheUpperEndOfZ) {
  // On two ranks in z, the upper one waits for octants 1 to 4, which are reflected in x and y.
  const umt::Domain lower({{1, 1, 1}}, {{1, 1, 2}}, 0);
  const umt::Domain upper({{1, 1, 1}}, {{1, 1, 2}}, 1);
  EXPECT_EQ(from_one(lower.order()), (std::vector{4, 3, 2, 1, 8, 7, 6, 5}));
  EXPECT_EQ(from_one(upper.order()), (std::vector{8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(Umt, NumbersRanksAlongZFirst) {
  const umt::Domain domain({{1, 2, 3}}, {{3, 3, 3}}, 13);  // in the middle
  std::vector<int> ranks;
  std::vector<std::int64_t> corners;
  for (const umt::Neighbour& neighbour : domain.neighbours()) {
    ranks.push_back(neighbour.rank);
    corners.push_back(neighbour.corners);
  }
  EXPECT_EQ(ranks, (std::vector{4, 10, 12, 14, 16, 22}));
  EXPECT_EQ(corners, (std::vector<std::int64_t>{24, 12, 8, 8, 12, 24}));
}

TEST(Umt, CreatesSweepsAndFreesPersistentMessages) {
  const auto motif = configured("umt", smallest({{"grid", "1x1x2"}, {"sweeps", "all"}}), 2);
  const std::string exits = "Barrier Ir<1:400:64 Is>1:400:64 Wa(2) Barrier ";
  const std::string orders = "Ir<1:500:32 Is>1:500:32 W(1) Barrier W(1) ";
  const std::string receives = "Barrier Start(<1:705:32) Start(<1:706:32) Start(<1:707:32) Start(<1:708:32) Barrier ";
  EXPECT_EQ(calls_of(*motif, 0, 2),
            "Allreduce:8 " + exits +
                "Send_init>1:701:32 Send_init>1:702:32 Send_init>1:703:32 Send_init>1:704:32 "
                "Recv_init<1:705:32 Recv_init<1:706:32 Recv_init<1:707:32 Recv_init<1:708:32 Barrier " +
                exits +
                "Send_init>1:1401:32 Send_init>1:1402:32 Send_init>1:1403:32 Send_init>1:1404:32 "
                "Recv_init<1:1405:32 Recv_init<1:1406:32 Recv_init<1:1407:32 Recv_init<1:1408:32 Barrier " +
                orders + orders +  // and all fluxes at once:
                receives + "Start(>1:701:32) Start(>1:702:32) Start(>1:703:32) Start(>1:704:32) " +
                repeated(8, "W(1) ") +  // the sweeps, of octants 4, 3, 2, 1, while the neighbour's are 8, 7, 6, 5:
                receives + "Start(>1:704:32) W(1) W(1) Start(>1:703:32) W(1) W(1) " +
                "Start(>1:702:32) W(1) W(1) Start(>1:701:32) W(1) W(1) Allreduce:64 " +
                "Allreduce:8 Allreduce:8 Allreduce:4 Allreduce:8 Allreduce:8 Allreduce:8 Allreduce:4 " +
                repeated(2, "Allreduce:16 ") + repeated(16, "Request_free ") + repeated(9, "Allreduce:8 ") +
                repeated(4, "Allreduce:4 ") + "Allreduce:8 Allreduce:8 Allreduce:8 Allreduce:8 Allreduce:4");
}

TEST(Umt, SweepsOnlyOctantsThatHaveNotConverged) {
  const std::string all = calls_of(*configured("umt", smallest({{"grid", "1x1x2"}, {"sweeps", "all"}}), 2), 1, 2);
  const std::string two = calls_of(*configured("umt", smallest({{"grid", "1x1x2"}, {"sweeps", "all,36"}}), 2), 1, 2);
  const std::string second_flux_iteration = "Barrier Start(<0:703:32) Barrier Start(>0:706:32) W(1) W(1) Allreduce:64 ";
  const std::size_t after_first = all.find("Allreduce:64 ") + std::string("Allreduce:64 ").size();
  EXPECT_EQ(two, std::string(all).insert(after_first, second_flux_iteration));
}

TEST(Umt, RepeatsTheLastTemperatureIteration) {
  const auto with = [](const std::string& sweeps) {
    const Options options = smallest({{"sweeps", sweeps}, {"temperature-iterations", "3"}, {"grid", "2x1x1"}});
    return calls_of(*configured("umt", options, 2), 0, 2);
  };
  EXPECT_EQ(with("all/all,12"), with("all/all,12/all,12"));
}

TEST(Umt, RankAloneOnlyReduces) {
  const auto motif = configured("umt", smallest({{"sweeps", "all"}}), 1);
  EXPECT_EQ(calls_of(*motif, 0, 1),
            "Allreduce:8 Allreduce:64 Allreduce:8 Allreduce:8 Allreduce:4 Allreduce:8 Allreduce:8 Allreduce:8 "
            "Allreduce:4 " +
                repeated(2, "Allreduce:16 ") + repeated(9, "Allreduce:8 ") + repeated(4, "Allreduce:4 ") +
                "Allreduce:8 Allreduce:8 Allreduce:8 Allreduce:8 Allreduce:4");
}

TEST(Umt, AnglesAreThoseOfTheQuadrature) {
  const auto bytes = [](const Options& options) { return configured("umt", options, 2)->traffic(2).message_bytes; };
  // An octant of order 4 has 3 angles, of order 16 has 36.
  EXPECT_EQ(bytes({{"order", "4"}}), bytes({{"polar", "3"}, {"azimuthal", "1"}}));
  EXPECT_EQ(bytes({{"order", "16"}}), bytes({{"polar", "9"}, {"azimuthal", "4"}}));
}

TEST(Umt, ReferenceProblemSendsLongMessages) {
  // UMT's decks: 9 x 10 angles in an octant, 200 groups, 3x6x8 zones; two flux iterations, then three times one.
  const auto motif = configured("umt", {{"groups", "200"}, {"polar", "9"}, {"azimuthal", "10"}, {"grid", "2x1x1"}}, 2);
  const std::int64_t fluxes = 4 * 8 + (2 + 3) * 8;
  const Traffic traffic = motif->traffic(2);
  EXPECT_EQ(traffic.messages, 8 + fluxes);
  EXPECT_EQ(traffic.message_bytes, fluxes * 8 * 192 * 90 * 200 + 4 * 192 * 8 * (90 + 1) + 4 * 32);
}

TEST(Umt, CountsNoTrafficThroughFacesThatNoRanksShare) {
  // The ranks share a face of four corners. Those in x and y have 2^33 each, whose fluxes would be more than 2^63 bytes
  // in a time step: the sanitizers report where they are computed.
  const auto motif = configured(
      "umt",
      {{"zones", "1x1x2147483647"}, {"groups", "10000"}, {"polar", "18"}, {"azimuthal", "22"}, {"grid", "1x1x2"}}, 2);
  const std::int64_t fluxes = 4 * 8 + (2 + 3) * 8;
  const Traffic traffic = motif->traffic(2);
  EXPECT_EQ(traffic.messages, 8 + fluxes);
  EXPECT_EQ(traffic.message_bytes, fluxes * 8 * 4 * 396 * 10'000 + 4 * 4 * 8 * (396 + 1) + 4 * 32);
}

TEST(Umt, IsTheFormulaAndMeetsOnEveryGrid) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8, 12, 18, 27, 36}) {
    const auto motif = configured("umt",
                                  {{"zones", "3x2x5"},
                                   {"groups", "3"},
                                   {"order", "6"},
                                   {"temperature-iterations", "4"},
                                   {"sweeps", "all,1458/all,all,2"}},
                                  ranks);
    expect_traffic_equals_call_lists(*motif, ranks);
    expect_matching_messages(*motif, ranks);
  }
}

TEST(Umt, WaitsForOctantsInTheOrderOfTheNeighbour) {
  const Dims<3> zones{{3, 6, 8}};
  const Dims<3> grid{{3, 2, 4}};
  for (int rank = 0; rank < 24; ++rank) {
    const umt::Domain domain(zones, grid, rank);
    for (const umt::Neighbour& neighbour : domain.neighbours()) {
      EXPECT_EQ(neighbour.order, umt::Domain(zones, grid, neighbour.rank).order());
    }
  }
}

}  // namespace
}  // namespace stressbench::test
