// The traffic of four codes: partners, sizes and calls.
#include "messages.hpp"

namespace stressbench::test {
namespace {

std::map<std::int64_t, std::int64_t> sizes_of(const std::string& code, int ranks) {
  std::map<std::int64_t, std::int64_t> sizes;
  for (const auto& [message, times] : CallLists("traffic", {{"like", code}}, ranks).sent()) {
    sizes[std::get<3>(message)] += times;
  }
  return sizes;
}

TEST(TrafficLike, SendsMessagesOfTheSizesThatAreToldOfACode) {
  EXPECT_EQ(sizes_of("cth", 8), (std::map<std::int64_t, std::int64_t>{{4 << 20, 8 * 3}}));
  EXPECT_EQ(sizes_of("sage", 8), (std::map<std::int64_t, std::int64_t>{{256 << 10, 8 * 4 * 2}, {1 << 20, 8 * 4 * 2}}));
  EXPECT_EQ(sizes_of("xnobel", 9).begin()->first, 32);
  EXPECT_EQ(sizes_of("xnobel", 9).rbegin()->first, 256 << 10);
  EXPECT_EQ(sizes_of("charon", 9), (std::map<std::int64_t, std::int64_t>{{128, 40}, {256, 40}, {512, 40}, {1024, 40}}));
}

TEST(TrafficLike, OfCharonIsOnAverageBelowAKilobyte) {
  const Traffic traffic = CallLists("traffic", {{"like", "charon"}}, 16).traffic();
  EXPECT_LT(traffic.message_bytes, 1024 * traffic.messages);
  EXPECT_EQ(traffic.collectives, 2);
}

TEST(TrafficLike, TakesOtherSizes) {
  const Traffic traffic = CallLists("traffic", {{"like", "cth"}, {"largest", "8MiB"}}, 2).traffic();
  EXPECT_EQ(traffic.message_bytes, 2 * (8 << 20));
}

TEST(TrafficLike, ReceivesWhatIsSentOnEveryNumberOfRanks) {
  for (const char* code : {"cth", "sage", "xnobel", "charon"}) {
    for (int ranks = 2; ranks <= 30; ++ranks)
      expect_matching_messages(*configured("traffic", {{"like", code}}, ranks), ranks);
  }
}

}  // namespace
}  // namespace stressbench::test
