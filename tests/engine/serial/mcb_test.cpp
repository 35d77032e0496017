// The messages of MCB: calls of small examples by hand, and numbers of photons by the formula.
#include <algorithm>

#include "call_lists.hpp"

namespace stressbench::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;
using testing::StartsWith;

Options with(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

// Domains that no photon leaves.
const Options quiet{{"particles", "1"},   {"zones-x", "1"},     {"zones-y", "1"},
                    {"x-dim", "1000000"}, {"y-dim", "1000000"}, {"cycles", "1"}};
// A hundred photons in each zone, and on 2 ranks 1562.5 that cross from each side in the first step: 10^6 photons, each
// on a path of 0.05, in a domain that is 8 long in this direction, in which a quarter of the paths goes.
const Options crowded{{"particles", "1000000"}};

std::string word(const calls::Call& call, int ranks) {
  const auto collective = [&](const char* name, const auto& one) {
    return fmt::format("{}:{}@{}", name, one.count * calls::size_of(one.type), one.comm == 0 ? ranks : 1);
  };
  if (const auto* one = std::get_if<calls::Allreduce>(&call)) return collective("Allreduce", *one);
  if (const auto* one = std::get_if<calls::Bcast>(&call)) return collective("Bcast", *one);
  if (const auto* one = std::get_if<calls::Reduce>(&call)) return collective("Reduce", *one);
  return token(call);
}

std::string words(const Options& options, int rank, int ranks) {
  const auto motif = configured("mcb", options, ranks);
  std::string text;
  for_each_executed_call(call_list_motif(*motif).calls_of(rank, ranks), [&](const calls::Call& call) {
    const std::string next = word(call, ranks);
    if (!next.empty()) text += (text.empty() ? "" : " ") + next;
  });
  return text;
}

std::string sums(const std::string& zones, int ranks) {
  std::string text = "Allreduce:" + zones + "@1";
  for (int k = 0; k < 4; ++k) text += fmt::format(" Allreduce:8@{} Bcast:8@1", ranks);
  return text;
}

// Bytes of the messages with a tag that each rank sends, in order.
std::vector<std::vector<std::int64_t>> sent(const Options& options, int ranks, int tag) {
  const auto motif = configured("mcb", options, ranks);
  std::vector<std::vector<std::int64_t>> bytes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    for_each_executed_call(call_list_motif(*motif).calls_of(rank, ranks), [&](const calls::Call& call) {
      const auto* isend = std::get_if<calls::Isend>(&call);
      if (isend == nullptr || isend->out.tag != tag) return;
      bytes[static_cast<std::size_t>(rank)].push_back(isend->out.count * calls::size_of(isend->type));
    });
  }
  return bytes;
}

// Photons that cross on 2 ranks, in the first message of each and in all.
struct Photons {
  std::int64_t first = 0;
  std::int64_t all = 0;
};
Photons crossing(const Options& options) {
  Photons photons;
  for (const std::vector<std::int64_t>& of_rank : sent(options, 2, 55)) {
    photons.first += of_rank.front() / 120 - 1;
    for (const std::int64_t bytes : of_rank) photons.all += bytes / 120 - 1;
  }
  return photons;
}

TEST(Mcb, ReportsAndChecksCompletionWhereNothingCrosses) {
  EXPECT_EQ(words(quiet, 0, 2), sums("16", 2) +
                                    " Ir<1:55:600120 Ir<1:6432:16"  // photons, reports
                                    " W(1) Ir<1:6432:16"            // the report of rank 1
                                    " Is>1:6502:4 Reduce:16@2 Is>1:7294:4"
                                    " Cancel W(1) Cancel W(1) Wa(2)");
  EXPECT_EQ(words(quiet, 1, 2), sums("16", 2) +
                                    " Ir<0:55:600120 Ir<0:6502:4 Ir<0:7294:4"
                                    " Is>0:6432:16"
                                    " W(1) Reduce:16@2 Ir<0:6502:4 W(1)"
                                    " Cancel W(1) Cancel W(1) Wa(1)");
}

TEST(Mcb, ReducesAloneOnOneRank) {
  EXPECT_EQ(words({{"zones-x", "20"}, {"zones-y", "30"}, {"cycles", "1"}}, 0, 1), sums("4808", 1));
}

TEST(Mcb, PostsReceivesFromBelowAboveLeftAndRightThenInTheTree) {
  // 2 x 3 domains; rank 2 is on the left in the middle row, its child is 5 and its parent 0.
  EXPECT_THAT(words(quiet, 2, 6), StartsWith(sums("16", 6) + " Ir<0:55:600120 Ir<4:55:600120 Ir<3:55:600120"
                                                             " Ir<5:6432:16 Ir<0:6502:4 Ir<0:7294:4 Is>0:6432:16"));
}

TEST(Mcb, ReportsOnceMoreForEachLevelBelow) {
  std::vector<std::size_t> reports;
  for (const auto& of_rank : sent(quiet, 7, 6432)) reports.push_back(of_rank.size());
  EXPECT_EQ(reports, (std::vector<std::size_t>{0, 2, 2, 1, 1, 1, 1}));
}

TEST(Mcb, SendsAQuarterOfThePathsThroughAFace) {
  EXPECT_NEAR(static_cast<double>(crossing(with(crowded, {{"cycles", "1"}})).all), 2 * 1562.5, 300);
}

TEST(Mcb, SendsMoreOnceThereArePhotonsFromTheStepBefore) {
  // Without absorption half of the photons are from the step before, with twice the path: 49.82 of these and 49.94 new
  // ones in a zone make 7.479 / 5 as many as 50.
  const Options lasting = with(crowded, {{"sigma-a", "0.000001"}});
  const std::int64_t first = crossing(with(lasting, {{"cycles", "1"}})).all;
  const std::int64_t both = crossing(with(lasting, {{"cycles", "2"}})).all;
  EXPECT_NEAR(static_cast<double>(both - first), 2 * 1562.5 * 7.479 / 5, 350);
}

TEST(Mcb, SendsBackFewerPhotonsWhereFewScatter) {
  const auto later_share = [](const Photons& photons) {
    return 1 - static_cast<double>(photons.first) / static_cast<double>(photons.all);
  };
  // 1 - 1 / sqrt(1.4) come back; in the inner four fifths of the face 1 - 1 / sqrt(1.02)
  EXPECT_NEAR(later_share(crossing(with(crowded, {{"cycles", "1"}}))), 0.155, 0.03);
  EXPECT_NEAR(later_share(crossing(with(crowded, {{"cycles", "1"}, {"multi-sigma", ""}}))), 0.039, 0.015);
}

TEST(Mcb, SendsFullBuffersOf5000Photons) {
  // 132,055 photons cross first, 20,448 come back.
  std::int64_t full = 0;
  for (const auto& of_rank : sent({{"particles", "100000000"}, {"cycles", "1"}}, 2, 55))
    full += std::ranges::count(of_rank, std::int64_t{5001 * 120});
  EXPECT_EQ(full, 2 * (26 + 4));
}

TEST(Mcb, DrawsOtherNumbersWithAnotherSeed) {
  EXPECT_EQ(words(crowded, 0, 2), words(crowded, 0, 2));
  EXPECT_NE(words(crowded, 0, 2), words(with(crowded, {{"photon-seed", "2"}}), 0, 2));
}

TEST(Mcb, BeginsEachStepAsARunOfFewerStepsDoes) {
  EXPECT_THAT(words(crowded, 1, 4), StartsWith(words(with(crowded, {{"cycles", "3"}}), 1, 4)));
}

TEST(Mcb, ReceivesWhatIsSentInFewMessages) {
  for (const Options& options : {Options{}, Options{{"multi-sigma", ""}, {"sigma-s", "100"}}}) {
    for (int ranks = 1; ranks <= 40; ++ranks) {
      const auto motif = configured("mcb", with(options, {{"cycles", "3"}, {"x-dim", "5"}, {"y-dim", "6"}}), ranks);
      expect_matching_messages(*motif, ranks);
      // At most 15 generations with 4 neighbours and a report each, 5 more reports and 4 flags.
      EXPECT_THAT(motif->traffic(ranks).messages, AllOf(Ge(3 * 3 * (ranks - 1)), Le(3 * ranks * (15 * 5 + 5 + 4))));
    }
  }
}

}  // namespace
}  // namespace stressbench::test
