// The layout of MILC and its gathers, by the formula.
#include "messages.hpp"

namespace stressbench::test {
namespace {

Options lattice(const std::string& x, const std::string& y, const std::string& z, const std::string& t) {
  return {{"nx", x}, {"ny", y}, {"nz", z}, {"nt", t}};
}

TEST(Milc, SendsThreeLayersOfTheSitesOfAParityToEachNeighbour) {
  const CallLists lists("milc", lattice("8", "8", "8", "8"), 8);
  const Traffic traffic = lists.traffic();
  EXPECT_EQ(traffic.messages, 96);
  EXPECT_EQ(traffic.message_bytes, 96 * 24 * 3 * 4 * 4 * 8 / 2);
  EXPECT_EQ(traffic.collective_bytes, 8 * 32);
}

TEST(Milc, DividesTheLongestSideByTheLargestPrimeFirst) {
  // 12 ranks: 3 divides t, the longest side; then 2 divides the longest remaining side, preferably a divided one.
  const CallLists lists("milc", lattice("12", "12", "12", "24"), 12);
  // 2 x 2 x 1 x 3 blocks of 6 x 6 x 12 x 8 sites.
  EXPECT_EQ(lists.bytes_to(0), (std::map<int, std::int64_t>{{1, 4 * 24 * 3 * 6 * 12 * 8 / 2},
                                                            {2, 4 * 24 * 3 * 6 * 12 * 8 / 2},
                                                            {4, 2 * 24 * 3 * 6 * 6 * 12 / 2},
                                                            {8, 2 * 24 * 3 * 6 * 6 * 12 / 2}}));
}

TEST(Milc, CountsParitiesWhereABlockHasAnOddNumberOfSites) {
  // 6^4 sites on 16 ranks: blocks of 3^4 sites, 41 of the corner's parity and 40 of the other.
  const CallLists lists("milc", lattice("6", "6", "6", "6"), 16);
  std::map<std::int64_t, std::int64_t> sizes;
  for (const auto& [message, times] : lists.sent()) sizes[std::get<3>(message)] += times;
  EXPECT_EQ(sizes, (std::map<std::int64_t, std::int64_t>{{24 * 40, 128}, {24 * 41, 128}}));
}

TEST(Milc, ReceivesWhatIsSentOnEveryGrid) {
  for (const int ranks : {1, 2, 3, 4, 6, 8, 12, 16, 24})
    expect_matching_messages(*configured("milc", lattice("12", "12", "12", "12"), ranks), ranks);
  for (const int ranks : {2, 4, 8, 16})
    expect_matching_messages(*configured("milc", lattice("6", "6", "6", "6"), ranks), ranks);
  expect_matching_messages(
      *configured("milc", {{"nx", "20"}, {"ny", "6"}, {"grid", "5x2x1x1"}, {"precision", "double"}}, 10), 10);
}

TEST(Milc, TwiceAsManyBytesInDoublePrecision) {
  Options options = lattice("8", "8", "8", "8");
  const std::int64_t single = CallLists("milc", options, 4).traffic().message_bytes;
  options.emplace_back("precision", "double");
  EXPECT_EQ(CallLists("milc", options, 4).traffic().message_bytes, 2 * single);
}

}  // namespace
}  // namespace stressbench::test
