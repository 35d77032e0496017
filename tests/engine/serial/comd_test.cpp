// The link cells of CoMD and the atoms in them, by the formula.
#include <algorithm>

#include "messages.hpp"

namespace stressbench::test {
namespace {

Options crystal(const std::string& x, const std::string& y, const std::string& z) {
  return {{"nx", x}, {"ny", y}, {"nz", z}};
}

TEST(CoMD, SendsTheAtomsOfALayerOfLinkCellsAndWhatCameBefore) {
  // 10 unit cells of 3.615 A per rank: 7 link cells of 5.16 A, with 3 planes of atoms in each outer layer.
  const CallLists lists("comd", crystal("20", "20", "20"), 8);
  const std::map<int, std::int64_t> bytes = lists.bytes_to(0);
  EXPECT_EQ(bytes.at(1), 2 * (56 + 8) * 3 * 20 * 20 / 2);
  EXPECT_EQ(bytes.at(2), 2 * (56 + 8) * 3 * 26 * 20 / 2);
  EXPECT_EQ(bytes.at(4), 2 * (56 + 8) * 3 * 26 * 26 / 2);
}

TEST(CoMD, ReceivesIntoRoomForFullLinkCells) {
  const CallLists lists("comd", crystal("20", "24", "30"), 8);  // 7, 8 and 10 link cells
  const calls::Call& first = *std::ranges::find_if(
      lists.of(0).calls(), [](const calls::Call& call) { return std::holds_alternative<calls::SendReceive>(call); });
  const auto& exchange = std::get<calls::SendReceive>(first);
  EXPECT_EQ(exchange.in.capacity * size_of(exchange.type), 9 * 12 * 2 * 64 * 56);
}

TEST(CoMD, ExchangesNoForcesWithLennardJones) {
  Options options = crystal("20", "20", "20");
  EXPECT_EQ(CallLists("comd", options, 8).traffic().messages, 96);
  options.emplace_back("potential", "lj");
  EXPECT_EQ(CallLists("comd", options, 8).traffic().messages, 48);
}

TEST(CoMD, SendsToItselfWhereItIsAlone) {
  const CallLists lists("comd", crystal("8", "8", "8"), 1);
  EXPECT_EQ(lists.traffic().messages, 12);
  EXPECT_EQ(lists.bytes_to(0).size(), 1u);
}

TEST(CoMD, ReceivesWhatIsSentAtOddSizes) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12, 27}) {
    expect_matching_messages(*configured("comd", crystal("21", "23", "25"), ranks), ranks);
    expect_matching_messages(
        *configured("comd", {{"nx", "41"}, {"ny", "37"}, {"nz", "50"}, {"potential", "lj"}}, ranks), ranks);
  }
}

TEST(CoMD, EndsItsStepsWithTwoSums) {
  const CallLists lists("comd", {{"steps", "10"}, {"energies", ""}}, 8);
  EXPECT_EQ(lists.traffic().messages, 960);
  EXPECT_EQ(lists.traffic().collectives, 2);
  EXPECT_EQ(lists.traffic().collective_bytes, 8 * (16 + 4));
}

}  // namespace
}  // namespace stressbench::test
