// Lists of host names in the notation of Slurm.
#include "core/host_list.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace stressbench::host_list {
namespace {

std::string compressed(const std::vector<std::string>& hosts) { return compress(hosts); }

// The names of a list, read independently of how lists are written.
std::vector<std::string> expanded(const std::string& list) {
  std::vector<std::string> hosts;
  std::size_t at = 0;
  while (at < list.size()) {
    const std::size_t open = list.find('[', at);
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (open > comma) {
      hosts.push_back(list.substr(at, comma - at));
      at = comma + 1;
      continue;
    }
    const std::size_t close = list.find(']', open);
    const std::size_t end = std::min(list.find(',', close), list.size());
    const std::string prefix = list.substr(at, open - at);
    const std::string suffix = list.substr(close + 1, end - close - 1);
    for (std::size_t from = open + 1; from < close;) {
      const std::size_t to = std::min(list.find(',', from), close);
      const std::string item = list.substr(from, to - from);
      const std::string first = item.substr(0, item.find('-'));
      const std::string last = item.substr(item.find('-') + 1);
      for (long long number = std::stoll(first); number <= std::stoll(last); ++number)
        hosts.push_back(prefix + fmt::format("{:0{}}", number, first.size()) + suffix);
      from = to + 1;
    }
    at = end + 1;
  }
  return hosts;
}

TEST(HostList, AscendingNumbersAreARange) {
  EXPECT_EQ(compressed({"n1", "n2", "n3", "n7"}), "n[1-3,7]");
  EXPECT_EQ(compressed({"node0511", "node0512", "node0600"}), "node[0511-0512,0600]");
}

TEST(HostList, ANumberInARangeHasAtLeastAsManyDigitsAsTheFirst) {
  EXPECT_EQ(compressed({"n9", "n10", "n11"}), "n[9-11]");
  EXPECT_EQ(compressed({"n09", "n10"}), "n[09-10]");
  EXPECT_EQ(compressed({"n9", "n010"}), "n[9,010]");
  EXPECT_EQ(compressed({"n099", "n100"}), "n[099-100]");
  EXPECT_EQ(compressed({"n099", "n0100"}), "n[099,0100]");
}

TEST(HostList, TheNumberMayStandAnywhere) {
  EXPECT_EQ(compressed({"r1n1.site", "r1n2.site", "r2n1.site"}), "r1n[1-2].site,r2n1.site");
  EXPECT_EQ(compressed({"10.0.0.1", "10.0.0.2"}), "10.0.0.[1-2]");
  EXPECT_EQ(compressed({"1a", "2a"}), "[1-2]a");
}

TEST(HostList, KeepsOrderAndRepeatedNames) {
  EXPECT_EQ(compressed({"n3", "n2", "n1"}), "n[3,2,1]");
  EXPECT_EQ(compressed({"n1", "n1", "n2"}), "n[1,1-2]");
  EXPECT_EQ(compressed({"login", "login", "n1"}), "login,login,n1");
  EXPECT_EQ(compressed({}), "");
}

TEST(HostList, ANumberBeyond64BitsIsAName) {
  EXPECT_EQ(compressed({"n18446744073709551616", "n18446744073709551617"}),
            "n18446744073709551616,n18446744073709551617");
}

TEST(HostList, NamesWithSeparatorsAreNotListable) {
  for (const char* name : {"", "a b", "a,b", "a[1]", "a\nb", "a\tb"}) EXPECT_FALSE(is_listable(name)) << name;
  for (const char* name : {"a", "a-1.b_c", "10.0.0.1", "\xc3\xa4"}) EXPECT_TRUE(is_listable(name)) << name;
}

TEST(HostList, EveryListGivesTheNamesBack) {
  std::mt19937_64 draws(25);
  const auto below = [&](int bound) { return static_cast<int>(draws() % static_cast<unsigned>(bound)); };
  const std::vector<std::string> letters = {"n", "a-", "", "9x", ".site", "0", "-"};
  const auto letter = [&] { return letters[static_cast<std::size_t>(below(static_cast<int>(letters.size())))]; };
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> hosts;
    std::string prefix = letter() + "n";
    std::string suffix = letter();
    int width = below(4);
    int number = below(120);
    for (int k = below(12); k >= 0; --k) {
      hosts.push_back(fmt::format("{}{:0{}}{}", prefix, number, width, suffix));
      if (below(6) == 0) prefix = letter() + "n";
      if (below(6) == 0) suffix = letter();
      if (below(6) == 0) width = below(4);
      number = below(4) == 0 ? below(120) : number + 1;
    }
    ASSERT_EQ(expanded(compress(hosts)), hosts) << compress(hosts);
  }
}

}  // namespace
}  // namespace stressbench::host_list
