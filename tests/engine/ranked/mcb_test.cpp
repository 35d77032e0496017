// MCB on several ranks: the calls that are made, and what arrives. MotifBench refuses lists with unmatched messages.
#include <gtest/gtest.h>

#include "expected_calls.hpp"

namespace stressbench::test {
namespace {

std::string sums(const std::string& zones, int ranks) {
  std::string text = "Allreduce[MAX]:" + zones + "@1";
  for (int k = 0; k < 4; ++k) text += " Allreduce[SUM]:8@" + std::to_string(ranks) + " Bcast:8@1";
  return text;
}

TEST(Mcb, MakesItsCallsInMcbsOrder) {
  expect_calls(
      {"mcb",
       {{"particles", "1"},
        {"zones-x", "3"},
        {"zones-y", "2"},
        {"x-dim", "1000000"},
        {"y-dim", "1000000"},
        {"cycles", "1"},
        {"compute", "off"}},
       {sums("56", 2) + " Ir<1:55:600120 Ir<1:6432:16 W(1) Ir<1:6432:16 Is>1:6502:4 Reduce[SUM]:16@2 Is>1:7294:4"
                        " Cancel W(1) Cancel W(1) Wa(2)",
        sums("56", 2) + " Ir<0:55:600120 Ir<0:6502:4 Ir<0:7294:4 Is>0:6432:16 W(1) Reduce[SUM]:16@2 Ir<0:6502:4 W(1)"
                        " Cancel W(1) Cancel W(1) Wa(1)"}});
}

TEST(Mcb, DeliversEveryByteOnAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= world_size(); ++ranks) {
    const mpi::Group group = first_ranks(ranks);
    if (!group) continue;
    // Few photons, those of a run, and more than one message has room for.
    for (const char* particles : {"100", "20000", "4M"}) {
      MotifBench bench(group, "mcb",
                       {{"particles", particles}, {"cycles", "2"}, {"multi-sigma", ""}, {"compute", "off"}});
      for (std::uint64_t pass = 0; pass < 2; ++pass) {
        bench->fill_payload(pass);
        bench.perform();
        EXPECT_NO_THROW(bench->verify(pass)) << ranks << " ranks, " << particles << " photons";
      }
    }
  }
}

}  // namespace
}  // namespace stressbench::test
