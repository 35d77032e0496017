// Tables of sizes: the sizes drawn, their frequency, and the tables that are refused.
#include "core/size_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "core/error.hpp"
#include "core/random.hpp"

namespace stressbench {
namespace {

using testing::HasSubstr;

constexpr int draws = 20'000;

std::int64_t draw(const SizeTable& table, std::uint64_t number) {
  return table.quantile(random_unit({.seed = 11, .execution = number}));
}

// Checks that `hits` of `draws` draws fit a chance, within 4.5 standard deviations of the binomial distribution.
void expect_share(int hits, double chance) {
  EXPECT_NEAR(hits, draws * chance, 4.5 * std::sqrt(draws * chance * (1 - chance)));
}

TEST(SizeTable, GivesEachSizeAsOftenAsItsWeightSays) {
  const SizeTable table = SizeTable::parse("size,weight\n0,1\n4KiB,6\n1GB,3\n", "t.csv");
  std::map<std::int64_t, int> hits;
  for (std::uint64_t i = 0; i < draws; ++i) ++hits[draw(table, i)];
  ASSERT_EQ(hits.size(), 3u);
  expect_share(hits[0], 0.1);
  expect_share(hits[4096], 0.6);
  expect_share(hits[1'000'000'000], 0.3);
}

TEST(SizeTable, SpreadsTheSizesOfARangeEvenlyOverItsMagnitudes) {
  const SizeTable table = SizeTable::parse("from,to,weight\n1MB,1GB,3\n1,1MB,1", "t.csv");
  std::map<int, int> decades;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::int64_t size = draw(table, i);
    ASSERT_GE(size, 1);
    ASSERT_LE(size, 1'000'000'000);
    ++decades[static_cast<int>(std::log10(static_cast<double>(size)))];
  }
  for (int decade = 6; decade < 9; ++decade) expect_share(decades[decade], 0.75 / 3);
  // Below, there are so few sizes that rounding down to whole bytes matters only in the first decade.
  for (int decade = 0; decade < 6; ++decade) expect_share(decades[decade], 0.25 / 6);
}

TEST(SizeTable, KnowsTheMeanOfWhatItGives) {
  EXPECT_DOUBLE_EQ(SizeTable::parse("size,weight\n100,1\n200,3\n", "t").mean(), 175);
  const SizeTable table = SizeTable::parse("from,to,weight\n1MB,1GB,1\n5MB,5MB,1\n", "t");
  double sum = 0;
  constexpr int points = 100'000;
  for (int i = 0; i < points; ++i) sum += static_cast<double>(table.quantile((i + 0.5) / points));
  EXPECT_NEAR(sum / points / table.mean(), 1.0, 1e-4);
  EXPECT_EQ(table.largest(), 1'000'000'000);
}

TEST(SizeTable, StaysInItsRangesToTheEnds) {
  const SizeTable table = SizeTable::parse("from,to,weight\n3,4,1\n7,8,1e-9\n1,1152921504606846976,1\n", "t");
  for (const double unit : {0x1p-53, 0.25, 0.5 - 1e-12, 0.5, 1 - 1e-9, 1 - 0x1p-53}) {
    EXPECT_GE(table.quantile(unit), 1) << unit;
    EXPECT_LE(table.quantile(unit), SizeTable::max_size) << unit;
  }
  EXPECT_EQ(table.quantile(0x1p-53), 3);
}

TEST(SizeTable, MayHaveCommentsBlanksAndForeignLineEnds) {
  const SizeTable table = SizeTable::parse(
      "\xEF\xBB\xBF# a site\r\n\r\n Size , WEIGHT # header\r\n\t32KiB ,\t25% # of all\r\n#1,2\r\n", "t");
  EXPECT_EQ(table.quantile(0.5), 32768);
}

struct Bad {
  const char* text;
  const char* message;
};

class BadTable : public testing::TestWithParam<Bad> {};

TEST_P(BadTable, IsRefusedWithItsLineAndWhatWouldBeRight) {
  try {
    SizeTable::parse(GetParam().text, "t.csv");
    ADD_FAILURE() << "was not refused";
  } catch (const UserMistake& mistake) {
    EXPECT_THAT(mistake.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, BadTable,
    testing::Values(
        Bad{"", "t.csv: has no header; 'size,weight' or 'from,to,weight'"}, Bad{"# nothing\n", "t.csv: has no header"},
        Bad{"size,weight\n", "t.csv: has no rows after its header"},
        Bad{"100,1\n", "t.csv:1: '100,1' is not a header; 'size,weight' or 'from,to,weight'"},
        Bad{"weight,size\n1,100\n", "t.csv:1: 'weight,size' is not a header"},
        Bad{"size,weight\n\n100\n", "t.csv:3: '100' does not have the 2 columns of the header, size,weight"},
        Bad{"size,weight\n1,2,3\n", "does not have the 2 columns"},
        Bad{"from,to,weight\n1,2,3,4,5,6\n", "does not have the 3 columns of the header, from,to,weight"},
        Bad{"size,weight\n100,1\nbig,1\n", "t.csv:3: 'big' must be a size such as 4096"},
        Bad{"size,weight\n-1,1\n", "t.csv:2: '-1' must be a size"}, Bad{"size,weight\n,1\n", "'' must be a size"},
        Bad{"size,weight\n2000000TiB,1\n", "'2000000TiB' is too large; at most 1152921504606846976 bytes (1 EiB)"},
        Bad{"size,weight\n1,0\n", "t.csv:2: weight '0' must be greater than 0"},
        Bad{"size,weight\n1,-2\n", "weight '-2' must be a number such as"},
        Bad{"size,weight\n1,nan\n", "weight 'nan' must be a number such as"},
        Bad{"size,weight\n1,1e400\n", "weight '1e400' must be a number such as"},
        Bad{"size,weight\n1,1e308\n2,1e308\n", "t.csv:3: the sum of the weights is too large"},
        Bad{"size,weight\n1,1e9\n2,1e-9\n",
            "t.csv:3: the weight is too small compared with the sum of the previous ones"},
        Bad{"from,to,weight\n5,4,1\n", "t.csv:2: a range from 5 to 4 is empty"},
        Bad{"from,to,weight\n0,4,1\n", "t.csv:2: a range begins at 1 byte or more"},
        Bad{"size,weight\n\x01\xFF,1\n", "t.csv:2: '?\?' must be a size"}));

TEST(SizeTable, ThatIsTooLongIsRefused) {
  EXPECT_THROW(SizeTable::parse(std::string(SizeTable::max_text_bytes + 1, '#'), "t"), UserMistake);
  EXPECT_NO_THROW(SizeTable::parse("size,weight\n1,1\n#" + std::string(SizeTable::max_text_bytes - 100, '#'), "t"));
}

std::string shipped() {
  const auto path = std::filesystem::path(STRESSBENCH_CHECKOUT) / "workloads/tables/file-sizes.csv";
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SizeTable, ThatShipsHoldsTheFiveBucketsOfThePaperWithEqualWeights) {
  const SizeTable table = SizeTable::parse(shipped(), "file-sizes.csv");
  const std::vector<std::int64_t> edges{1, 1'000'000'000, 10'000'000'000, 100'000'000'000, 500'000'000'000};
  for (std::size_t bucket = 0; bucket + 1 < edges.size(); ++bucket) {
    const double first = 0.2 * static_cast<double>(bucket);
    EXPECT_NEAR(static_cast<double>(table.quantile(first + 1e-12)) / static_cast<double>(edges[bucket]), 1, 1e-6);
    EXPECT_NEAR(static_cast<double>(table.quantile(first + 0.2 - 1e-12)) / static_cast<double>(edges[bucket + 1]), 1,
                1e-6);
  }
  for (const double unit : {0.8 + 1e-12, 0.9, 1 - 1e-12}) EXPECT_EQ(table.quantile(unit), edges.back());
}

// Any text is either accepted or refused, and sizes can be drawn from every accepted table.
TEST(SizeTable, ReadsOrRefusesWhateverItIsGiven) {
  const std::vector<std::string> seeds{"size,weight\n1,1\n4KiB,2.5\n1GB,3%\n",
                                       "from,to,weight\n1,4KiB,1e3\n4KiB,1TiB,7\n0,0,1\n", shipped()};
  const std::vector<std::string> pieces{",",
                                        "\n",
                                        "#",
                                        "\r",
                                        "1e308",
                                        "1e-300",
                                        "0",
                                        "9223372036854775807",
                                        "-",
                                        "TiB",
                                        "%",
                                        ".",
                                        "nan",
                                        "size,weight\n",
                                        "from,to,weight\n",
                                        "1,1,1\n",
                                        "\xEF\xBB\xBF",
                                        std::string(1, '\0'),
                                        "\xFF"};
  std::mt19937_64 chance(1);
  int accepted = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string text = seeds[chance() % seeds.size()];
    for (std::uint64_t changes = chance() % 4 + 1; changes > 0; --changes) {
      const std::size_t at = chance() % (text.size() + 1);
      switch (chance() % 3) {
        case 0:
          text.insert(at, pieces[chance() % pieces.size()]);
          break;
        case 1:
          text.erase(at, chance() % 12);
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(chance());
      }
    }
    try {
      const SizeTable table = SizeTable::parse(text, "t");
      ++accepted;
      for (const double unit : {0x1p-53, 0.3, 1 - 0x1p-53}) {
        ASSERT_GE(table.quantile(unit), 0) << text;
        ASSERT_LE(table.quantile(unit), table.largest()) << text;
      }
      ASSERT_TRUE(std::isfinite(table.mean())) << text;
    } catch (const UserMistake& mistake) {
      ASSERT_LT(std::string(mistake.what()).size(), 400u);
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace stressbench
