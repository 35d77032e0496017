// The boxes of miniFE and their neighbours, by the formula.
#include <numeric>

#include "messages.hpp"

namespace stressbench::test {
namespace {

Options mesh(const std::string& x, const std::string& y, const std::string& z) {
  return {{"nx", x}, {"ny", y}, {"nz", z}};
}

TEST(MiniFE, CutsAcrossZThenY) {
  const CallLists lists("minife", mesh("48", "24", "24"),
                        4);  // halves of 12 elements, the upper ones with the last nodes
  EXPECT_EQ(lists.bytes_to(0), (std::map<int, std::int64_t>{{1, 8 * 49 * 12}, {2, 8 * 49 * 12}, {3, 8 * 49}}));
  EXPECT_EQ(lists.bytes_to(3), (std::map<int, std::int64_t>{{0, 8 * 49}, {1, 8 * 49 * 13}, {2, 8 * 49 * 13}}));
}

TEST(MiniFE, GivesTheUpperRanksTheirShareRoundedDown) {
  // 10 elements for 3 ranks: the upper two have int(10 * 2/3) = 6 of them, cut across y; the first has 4.
  const CallLists lists("minife", mesh("5", "7", "10"), 3);
  EXPECT_EQ(lists.bytes_to(0),
            (std::map<int, std::int64_t>{{1, 8 * 6 * 5}, {2, 8 * 6 * 5}}));  // rows adjacent to the others
  EXPECT_EQ(lists.bytes_to(1), (std::map<int, std::int64_t>{{0, 8 * 6 * 4}, {2, 8 * 6 * 7}}));
}

TEST(MiniFE, TakesNeighboursInTheOrderOfItsRows) {
  const CallLists lists("minife", mesh("48", "48", "48"), 4);
  std::vector<int> order;
  for (const calls::Call& call : lists.of(1).calls()) {
    if (const auto* send = std::get_if<calls::Send>(&call)) order.push_back(send->out.to);
  }
  EXPECT_EQ(order, (std::vector{0, 2, 3}));
}

TEST(MiniFE, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks)
    expect_matching_messages(*configured("minife", mesh("17", "19", "23"), ranks), ranks);
}

Options with_phase(Options options, const std::string& phase) {
  options.emplace_back("phase", phase);
  return options;
}

TEST(MiniFE, TellsItsNeighboursWhatItNeedsWhenItIsSetUp) {
  const Messages sent = CallLists("minife", with_phase(mesh("48", "24", "24"), "setup"), 4).sent();
  const std::int64_t row = 49;
  EXPECT_EQ(sent.at({0, 1, 99, 4}), 1);   // that rank 0 needs rows of rank 1
  EXPECT_EQ(sent.at({0, 1, 100, 4}), 1);  // how many
  // Which: 4 bytes for each row, as many as rank 1 sends in the solver. It has 13 layers in y, rank 0 has 12.
  EXPECT_EQ(sent.at({0, 1, 101, 4 * row * 12}), 1);
  EXPECT_EQ(sent.at({3, 2, 101, 4 * row * 13}), 1);
  EXPECT_EQ(sent.size(), 4U * 3U * 3U);
}

TEST(MiniFE, DoesNotKnowWhoNeedsItsRowsBeforeTheSetUp) {
  const CallLists lists("minife", with_phase(mesh("12", "12", "12"), "setup"), 4);
  std::vector<int> tags_from_any;
  for (const calls::Call& call : lists.of(1).calls()) {
    const auto* receive = std::get_if<calls::Irecv>(&call);
    if (receive != nullptr && receive->source == calls::Source::any_of_several)
      tags_from_any.push_back(receive->in.tag);
  }
  EXPECT_EQ(tags_from_any, (std::vector{99, 99, 99}));
}

TEST(MiniFE, SharesTheSizesOfAllRanksWhenItIsSetUp) {
  const CallLists lists("minife", with_phase(mesh("17", "19", "23"), "setup"), 6);
  std::vector<std::int64_t> bytes;
  for (const calls::Call& call : lists.of(5).calls()) {
    if (const auto* sum = std::get_if<calls::Allreduce>(&call)) bytes.push_back(sum->count * size_of(sum->type));
  }
  EXPECT_EQ(bytes, (std::vector<std::int64_t>{4, 4 * 6, 4, 4 * 6, 4 * 6, 4 * 6, 8 * 6, 8}));
}

TEST(MiniFE, MultipliesTwiceBeforeTheSecondIteration) {
  const Messages once = CallLists("minife", mesh("12", "13", "14"), 5).sent();
  Messages twice = CallLists("minife", with_phase(mesh("12", "13", "14"), "start"), 5).sent();
  for (auto& [message, times] : twice) times /= 2;
  EXPECT_EQ(twice, once);
}

TEST(MiniFE, ReceivesWhatIsSentInEachPhaseOnEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 20; ++ranks) {
    for (const char* phase : {"setup", "start"})
      expect_matching_messages(*configured("minife", with_phase(mesh("17", "19", "23"), phase), ranks), ranks);
  }
}

TEST(MiniFE, RefusesRanksWithoutElements) {
  EXPECT_TRUE(fits("minife", mesh("2", "2", "2"), 8));
  EXPECT_FALSE(fits("minife", mesh("2", "2", "2"), 9));
}

}  // namespace
}  // namespace stressbench::test
