// TeaLeaf's solvers and time step, by the formula. That they equal the application's is tested by
// tests/integration/test_reference.py.
#include "call_lists.hpp"

namespace stressbench::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Reductions as `min:8` and exchanges as `halo:64`, by the bytes that rank 0 of 2 sends to the other one.
std::string outline(const Options& options) {
  const auto motif = configured("tealeaf", options, 2);
  std::string text;
  for_each_executed_call(call_list_motif(*motif).calls_of(0, 2), [&](const calls::Call& call) {
    std::string word;
    if (const auto* sum = std::get_if<calls::Allreduce>(&call))
      word = fmt::format("{}:{}", sum->op == calls::ReduceOp::min ? "min" : "sum", sum->count * size_of(sum->type));
    if (const auto* sent = std::get_if<calls::Isend>(&call))
      word = fmt::format("halo:{}", sent->out.count * size_of(sent->type));
    if (!word.empty()) text += (text.empty() ? "" : " ") + word;
  });
  return text;
}

std::int64_t times(const std::string& word, const std::string& text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

// For each reduction the number of exchanges before it.
std::vector<std::int64_t> exchanges_before_reductions(const Options& options) {
  const std::string text = outline(options);
  std::vector<std::int64_t> counts;
  for (std::size_t at = 0; (at = text.find("sum", at)) != std::string::npos; ++at)
    counts.push_back(times("halo", text.substr(0, at)));
  return counts;
}

// A mesh of 8 x 6 cells on 2 ranks. A message has 8 f d (6 + 2d) bytes for f fields, d deep: 64 for one field of depth
// 1, 128 for two, 320 for two of depth 2.
Options mesh(const Options& more) {
  Options options{{"columns", "8"}, {"rows", "6"}};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

TEST(TeaLeafStep, HasDeepHalosOnlyWhereItStarts) {
  EXPECT_EQ(outline(mesh({{"step", ""}, {"depth", "2"}})),
            "min:8 halo:320 halo:64 sum:8 sum:8 halo:128 sum:8 sum:8 halo:64 halo:64");
}

TEST(TeaLeafStep, OfJacobiReducesOnceBeforeItsLoop) {
  EXPECT_EQ(outline(mesh({{"step", ""}, {"solver", "jacobi"}, {"-n", "2"}})),
            "min:8 halo:128 halo:64 sum:8 sum:8 halo:64 sum:8 halo:64 halo:64");
}

TEST(TeaLeafStep, OfPpcgHasOneIterationOfCgAndAppliesThePreconditionerBeforeTheFirstOfItsOwn) {
  EXPECT_EQ(outline(mesh({{"step", ""}, {"solver", "ppcg"}, {"depth", "2"}, {"inner-steps", "3"}})),
            "min:8 halo:320 halo:64 sum:8 sum:8 halo:128 "
            "sum:8 sum:8 halo:64 "
            "halo:320 halo:320 sum:8 halo:64 "
            "sum:16 halo:320 halo:320 sum:8 halo:64 "
            "halo:64");
}

TEST(TeaLeafStep, OfChebyshevStartsWithIterationsOfCg) {
  const std::string start = "min:8 halo:128 halo:64 sum:8 sum:8 halo:128 ";
  const std::string cg = "sum:8 sum:8 halo:64 ";
  const std::string first = "sum:8 halo:64 sum:8 halo:64 sum:8 halo:64 ";  // with the switch from CG
  EXPECT_EQ(outline(mesh({{"step", ""}, {"solver", "chebyshev"}, {"-n", "3"}, {"cg-iterations", "2"}})),
            start + cg + cg + first + "halo:64 halo:64 halo:64");
  EXPECT_EQ(times(cg, outline(mesh({{"step", ""}, {"solver", "chebyshev"}}))), 24);
}

TEST(TeaLeafStep, OfChebyshevTakesInnerStepsOnceIfTheirNumberIsGiven) {
  const Options options = mesh({{"step", ""}, {"solver", "chebyshev"}, {"-n", "5"}, {"depth", "2"}});
  Options with_inner_steps = options;
  with_inner_steps.emplace_back("inner-steps", "7");
  EXPECT_EQ(times("halo:320", outline(options)), 1);
  EXPECT_EQ(times("halo:320", outline(with_inner_steps)), 1 + 4);
}

TEST(TeaLeafChebyshev, ReducesBeforeTheExchangeOfEveryTenthIteration) {
  EXPECT_THAT(exchanges_before_reductions(mesh({{"solver", "chebyshev"}, {"-n", "9"}})), IsEmpty());
  EXPECT_THAT(exchanges_before_reductions(mesh({{"solver", "chebyshev"}, {"-n", "10"}})), ElementsAre(9));
  EXPECT_THAT(exchanges_before_reductions(mesh({{"solver", "chebyshev"}, {"-n", "39"}})), ElementsAre(9, 19, 29));
  EXPECT_EQ(times("halo", outline(mesh({{"solver", "chebyshev"}, {"-n", "39"}}))), 39);
}

TEST(TeaLeafChebyshev, ReducesFromTheFirstCheckOn) {
  const auto reductions = [](const std::string& first_check) {
    return exchanges_before_reductions(mesh({{"solver", "chebyshev"}, {"-n", "40"}, {"first-check", first_check}}));
  };
  EXPECT_THAT(reductions("20"), ElementsAre(19, 29, 39));
  EXPECT_THAT(reductions("21"), ElementsAre(29, 39));
  EXPECT_THAT(reductions("40"), ElementsAre(39));
  EXPECT_THAT(reductions("41"), IsEmpty());
}

TEST(TeaLeafChebyshev, CountsTheIterationsOfItsTimeStep) {
  // 3 exchanges before the loop, 12 of CG, 1 after them; iteration 13 has 2, each from 14 to 42 one.
  const std::vector<std::int64_t> reductions = exchanges_before_reductions(
      mesh({{"step", ""}, {"solver", "chebyshev"}, {"-n", "30"}, {"cg-iterations", "12"}, {"first-check", "25"}}));
  ASSERT_EQ(reductions.size(), 2u + 2 * 12 + 1 + 2 + 2);
  EXPECT_EQ(reductions[reductions.size() - 2], 3 + 12 + 1 + 2 + 16);  // iteration 30
  EXPECT_EQ(reductions[reductions.size() - 1], 3 + 12 + 1 + 2 + 26);  // iteration 40
}

// Exchanges of PPCG's inner steps in an iteration.
std::int64_t inner_exchanges(const Options& options) { return times("halo", outline(options)) - 1; }

TEST(TeaLeafPpcg, TakesFourTimesTheFourthRootOfTheCellsAsInnerSteps) {
  const auto exchanges = [](const std::string& columns, const std::string& rows) {
    return inner_exchanges({{"solver", "ppcg"}, {"columns", columns}, {"rows", rows}});
  };
  EXPECT_EQ(exchanges("8", "6"), 4 * 2);
  EXPECT_EQ(exchanges("81", "1"), 4 * 3);
  EXPECT_EQ(exchanges("80", "1"), 4 * 2);
  EXPECT_EQ(exchanges("1000", "1000"), 4 * 31);
  EXPECT_EQ(exchanges("9800", "9802"), 4 * 99);  // 99^4 - 1 cells, which are 99^4 in single precision
}

TEST(TeaLeafPpcg, ExchangesBeforeEveryInnerStepWhoseHaloIsUsedUp) {
  const auto exchanges = [](const std::string& steps, const std::string& depth) {
    return inner_exchanges(mesh({{"solver", "ppcg"}, {"inner-steps", steps}, {"depth", depth}}));
  };
  EXPECT_EQ(exchanges("1", "4"), 1);
  EXPECT_EQ(exchanges("8", "4"), 2);
  EXPECT_EQ(exchanges("9", "4"), 3);
}

TEST(TeaLeafGrid, IsTheOneGiven) {
  const auto motif = configured("tealeaf", {{"columns", "9"}, {"rows", "8"}, {"grid", "1x4"}, {"solver", "jacobi"}}, 4);
  EXPECT_EQ(calls_of(*motif, 1, 4), "Allreduce:8 Is>0:3:88 Ir<0:4:88 Is>2:4:88 Ir<2:3:88 Wa(0) Wa(4)");
  const auto auto_grid = configured("tealeaf", {{"columns", "9"}, {"rows", "8"}, {"solver", "jacobi"}}, 4);
  EXPECT_EQ(calls_of(*auto_grid, 1, 4), "Allreduce:8 Is>3:2:48 Ir<3:1:48 Is>0:3:56 Ir<0:4:56 Wa(2) Wa(2)");
}

TEST(TeaLeafGrid, ReceivesWhatIsSentOnEveryGrid) {
  for (const auto* grid : {"1x6", "2x3", "3x2", "6x1", "auto"}) {
    for (const auto* solver : {"cg", "jacobi", "chebyshev", "ppcg"}) {
      const auto motif = configured(
          "tealeaf", {{"columns", "31"}, {"rows", "23"}, {"grid", grid}, {"solver", solver}, {"step", ""}, {"-d", "3"}},
          6);
      expect_matching_messages(*motif, 6);
    }
  }
}

}  // namespace
}  // namespace stressbench::test
