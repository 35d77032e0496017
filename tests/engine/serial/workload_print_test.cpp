// The output of print is read back as the same workload, whatever it contains.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "workload/node_list.hpp"
#include "workload/print.hpp"
#include "workload_fixture.hpp"

namespace stressbench::workload {
namespace {

// Random workloads, with unusual characters wherever text is free.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : draws_(seed) {}

  Workload workload() {
    Workload drawn;
    for (int i = 0, n = below(4) + 1; i < n; ++i) drawn.jobs.push_back(make_job());
    return drawn;
  }

 private:
  int below(int bound) { return static_cast<int>(draws_() % static_cast<unsigned>(bound)); }
  bool coin() { return below(2) == 0; }

  std::string text() {
    static const std::vector<std::string> pieces = {"a",    "B", "7",  "-", "#", "\"", "\\", "$",        "{",    "}",
                                                    "${x}", " ", "\t", ",", "[", "]",  "=",  "\xC3\xA9", "/tmp", "--"};
    std::string drawn;
    for (int i = 0, n = below(6) + 1; i < n; ++i) drawn += pieces[draws_() % pieces.size()];
    return drawn;
  }

  Job make_job() {
    Job drawn;
    drawn.name = text();
    if (coin()) {
      drawn.nodes = std::vector<int>{};
      for (int i = 0, n = below(12) + 1, next = 0; i < n; ++i) drawn.nodes->push_back(next += below(4) + 1);
      if (coin()) std::shuffle(drawn.nodes->begin(), drawn.nodes->end(), draws_);
    } else {
      drawn.node_count = below(100) + 1;
    }
    if (coin()) drawn.ranks_per_node = below(64) + 1;
    if (coin()) drawn.repeat = below(100000) + 1;
    if (coin()) drawn.min_time = Nanoseconds{static_cast<std::int64_t>(draws_() >> 10) + 1};
    drawn.shared = coin();
    drawn.role = coin() ? Role::measured : Role::background;
    drawn.steps = steps(0);
    return drawn;
  }

  std::vector<Step> steps(int depth) {
    std::vector<Step> drawn;
    for (int i = 0, n = below(4) + 1; i < n; ++i) {
      if (depth < 3 && below(4) == 0) {
        drawn.emplace_back(Loop{below(1000) + 1, steps(depth + 1), {}});
      } else {
        drawn.emplace_back(call());
      }
    }
    return drawn;
  }

  MotifCall call() {
    MotifCall drawn;
    drawn.name = coin() ? "halo2d" : text();
    for (int i = 0, n = below(4); i < n; ++i) {
      Option option;
      option.name = coin() ? "columns" : "-x";
      if (coin()) option.value = coin() ? text() : "";
      drawn.options.push_back(option);
    }
    return drawn;
  }

  std::mt19937_64 draws_;
};

TEST(WorkloadPrint, EveryWorkloadReadsBackTheSame) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Workload drawn = Generator(seed).workload();
    const std::string text = print(drawn);
    const Parsed read = parse("w.sb", reader({{"w.sb", text}}));
    ASSERT_NO_THROW(read.diagnostics.throw_if_any()) << text;
    ASSERT_EQ(read.workload, drawn) << text;
    ASSERT_EQ(print(read.workload), text);
  }
}

TEST(WorkloadPrint, WhatEnginesBroadcastHasNoIncludesOrVariablesAndTheFullNames) {
  const Workload workload = load("w.sb",
                                 reader({{"w.sb", "[SET] n=8\n[INCLUDE] a.sb\n"},
                                         {"a.sb",
                                          "[JOB_NAME] A\n[NID_LIST] 0,1,2,${n}\n[LOOP] 5\n[MOTIF] "
                                          "HALO2D -x 7 --rows=5k\n[END]\n[MOTIF] AllReduce --in-place\n"}}),
                                 FakeCatalogue{}, std::nullopt);
  EXPECT_EQ(print(workload),
            "[JOB_NAME] A\n"
            "[NID_LIST] 0-2,8\n"
            "[LOOP] 5\n"
            "  [MOTIF] halo2d --columns 7 --rows 5k\n"
            "[END]\n"
            "[MOTIF] allreduce --in-place\n");
}

TEST(WorkloadPrint, Listing1SurvivesTheRoundTrip) {
  const Workload workload = load_text(listing1);
  EXPECT_EQ(load_text(print(workload)), workload);
}

TEST(NodeList, TextAndNodesAreTheSameBothWays) {
  EXPECT_EQ(compress(parse_nodes("0,1,2,3,8")), "0-3,8");
  EXPECT_EQ(compress(parse_nodes("0-30:10")), "0-30:10");
  EXPECT_EQ(compress(parse_nodes("0-31:10")), "0-30:10");
  EXPECT_EQ(compress(parse_nodes("4,5")), "4,5");
  EXPECT_EQ(compress(parse_nodes("0,2,4")), "0,2,4");
  EXPECT_EQ(compress(parse_nodes("9,3-5,0")), "9,3-5,0");
  EXPECT_EQ(compress({}), "");
}

TEST(NodeList, AnyListReadsBackTheSame) {
  std::mt19937_64 draws(3);
  for (int i = 0; i < 3000; ++i) {
    std::vector<int> nodes(draws() % 20 + 1);
    for (int& node : nodes) node = static_cast<int>(draws() % 12 == 0 ? draws() % 2147483648U : draws() % 12);
    ASSERT_EQ(parse_nodes(compress(nodes)), nodes) << compress(nodes);
  }
}

TEST(NodeList, WhatIsNoListIsRefused) {
  for (const char* wrong : {"", ",", "1,", ",1", "1,,2", "-1", "1-", "3-1", "1:2", "1-4:0", "1-4:", "a", "1 ,2",
                            "2147483648", "99999999999999999999", "0-2147483647", "0-5-7", "1:2-5"}) {
    EXPECT_THROW(parse_nodes(wrong), UserMistake) << wrong;
  }
}

}  // namespace
}  // namespace stressbench::workload
