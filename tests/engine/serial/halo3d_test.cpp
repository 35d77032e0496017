// The halo of a 3-D mesh, by the formula.
#include <algorithm>

#include "messages.hpp"

namespace stressbench::test {
namespace {

Options mesh(const std::string& points) {
  return {{"columns", "12"}, {"rows", "10"}, {"planes", "8"}, {"points", points}};
}

TEST(Halo3d, HasAsManyNeighboursAsTheStencilReachesTo) {
  for (const auto& [points, neighbours] : {std::pair{"7", 6}, std::pair{"19", 18}, std::pair{"27", 26}}) {
    const CallLists lists("halo3d", {{"points", points}}, 27);
    EXPECT_EQ(lists.bytes_to(13).size(), neighbours);
  }
}

TEST(Halo3d, SendsFacesEdgesAndCorners) {
  Options options = mesh("27");
  options.insert(options.end(), {{"fields", "3"}, {"depth", "2"}});
  const CallLists lists("halo3d", options, 8);  // blocks of 6 x 5 x 4
  EXPECT_EQ(lists.bytes_to(0), (std::map<int, std::int64_t>{{1, 24 * 2 * 5 * 4},
                                                            {2, 24 * 2 * 6 * 4},
                                                            {3, 24 * 4 * 4},
                                                            {4, 24 * 2 * 6 * 5},
                                                            {5, 24 * 4 * 5},
                                                            {6, 24 * 4 * 6},
                                                            {7, 24 * 8}}));
}

TEST(Halo3d, GoesOnAtTheOtherSideWhereItIsPeriodic) {
  Options options = mesh("7");
  options.emplace_back("grid", "4x1x1");
  EXPECT_EQ(CallLists("halo3d", options, 4).traffic().messages, 6);
  options.emplace_back("periodic", "");
  EXPECT_EQ(CallLists("halo3d", options, 4).traffic().messages, 8);
}

TEST(Halo3d, ComputesInnerCellsWhileMessagesTravel) {
  Options options = mesh("7");
  options.emplace_back("cell-time", "1");
  const auto shares = [&](int ranks) {
    std::vector<double> found;
    const CallLists lists("halo3d", options, ranks);
    for (const calls::Call& call : lists.of(0).calls()) {
      if (const auto* compute = std::get_if<calls::Compute>(&call)) found.push_back(compute->duration_ns);
      if (std::holds_alternative<calls::WaitAll>(call)) found.push_back(-1);
    }
    return found;
  };
  EXPECT_EQ(shares(8), (std::vector<double>{-1, 6 * 5 * 4}));
  options.emplace_back("overlap", "");
  EXPECT_EQ(shares(8), (std::vector<double>{4 * 3 * 2, -1, 6 * 5 * 4 - 4 * 3 * 2}));
}

TEST(Halo3d, ComputesOnTheLargestMesh) {
  const Options options{{"columns", "1048576"}, {"rows", "1048576"}, {"planes", "1048576"}, {"fields", "1000"}};
  EXPECT_DOUBLE_EQ(configured("halo3d", options, 1)->traffic(1).compute_s, 2e-9 * 1000 * 0x1p60);
}

TEST(Halo3d, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    const Options options{{"columns", "67"}, {"rows", "71"}, {"planes", "73"}, {"points", "27"}, {"periodic", ""}};
    expect_matching_messages(*configured("halo3d", options, ranks), ranks);
    expect_matching_messages(*configured("halo3d", {{"points", "19"}, {"depth", "2"}}, ranks), ranks);
  }
}

}  // namespace
}  // namespace stressbench::test
