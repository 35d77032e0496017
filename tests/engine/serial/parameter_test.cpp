#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/optional_parameter.hpp"

namespace stressbench {

enum class Colour { red, dark_blue };
template <>
struct Names<Colour> {
  static constexpr std::array values{std::pair{std::string_view{"red"}, Colour::red},
                                     std::pair{std::string_view{"dark-blue"}, Colour::dark_blue}};
};

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Everything : ParameterSet {
  Param<std::int64_t> count{this, 'c', "count", 4, "how many", Positive{}, AtMost{10}};
  Param<Bytes> size{this, 's', "size", Bytes{4096}, "how large"};
  Param<Nanoseconds> time{this, 't', "time", Nanoseconds{350'000}, "how long"};
  Param<double> share{this, "share", 0.5, "how much"};
  Param<std::string> path{this, 'f', "file", "out", "where", NotEmpty{}};
  Param<Colour> colour{this, "colour", Colour::red, "which"};
  Param<std::vector<Bytes>> sizes{this, "sizes", {Bytes{8}, Bytes{1024}}, "which sizes", Each{Positive{}}};
  Param<std::optional<std::int64_t>> chosen{this, "chosen", std::nullopt, "if any", AutoOr{Positive{}, AtMost{10}}};
  Param<bool> flag{this, "flag", "whether"};
};

std::string rejection(Parameter& parameter, std::string_view text) {
  try {
    parameter.parse(text);
  } catch (const ParameterMistake& mistake) {
    EXPECT_EQ(mistake.parameter(), parameter.name());
    return mistake.what();
  }
  return "";
}

TEST(Parameter, ShowsTheBeginningOfALongValueThatItRejects) {
  Everything set;
  EXPECT_EQ(rejection(set.flag, std::string(80, 'a')).find("...'"), std::string::npos);
  EXPECT_EQ(rejection(set.flag, std::string(81, 'a')),
            "--flag: '" + std::string(80, 'a') + "...': is a flag and takes no value");
}

TEST(Parameter, StartsWithItsDefaultAndWasNotGiven) {
  const Everything set;
  EXPECT_EQ(*set.count, 4);
  EXPECT_EQ(set.size.default_text(), "4KiB");
  EXPECT_FALSE(set.count.was_given());
  EXPECT_FALSE(*set.flag);
}

TEST(Parameter, IsFoundByShortOptionLongOptionAndName) {
  const Everything set;
  EXPECT_EQ(set.find("-c"), &set.count);
  EXPECT_EQ(set.find("--count"), &set.count);
  EXPECT_EQ(set.find("count"), &set.count);
  EXPECT_EQ(set.find("c"), nullptr);
  EXPECT_EQ(set.find("--c"), nullptr);
  EXPECT_EQ(set.find("-q"), nullptr);
  EXPECT_EQ(set.find(""), nullptr);
}

TEST(Parameter, IsCopiedWithItsValueAndWhetherItWasGiven) {
  Everything set;
  set.count.parse("7");
  set.path.parse("there");
  set.sizes.parse("8,64KiB");
  set.flag.parse("");
  Everything copy;
  copy.copy_values(set);
  EXPECT_EQ(*copy.count, 7);
  EXPECT_EQ(*copy.path, "there");
  EXPECT_EQ(copy.sizes.text(), "8,64KiB");
  EXPECT_TRUE(*copy.flag);
  EXPECT_TRUE(copy.count.was_given());
  EXPECT_FALSE(copy.size.was_given());
}

TEST(Parameter, ReadsEveryKindOfValue) {
  Everything set;
  set.count.parse("7");
  set.size.parse("32KiB");
  set.time.parse("1.5ms");
  set.share.parse("25%");
  set.path.parse("/a b");
  set.colour.parse("DARK-BLUE");
  set.sizes.parse("8,64KiB");
  set.flag.parse("");
  EXPECT_EQ(*set.count, 7);
  EXPECT_TRUE(set.count.was_given());
  EXPECT_EQ(set.size->value, 32768);
  EXPECT_EQ(set.time->value, 1'500'000);
  EXPECT_DOUBLE_EQ(*set.share, 0.25);
  EXPECT_EQ(*set.path, "/a b");
  EXPECT_EQ(*set.colour, Colour::dark_blue);
  EXPECT_THAT(*set.sizes, ElementsAre(Bytes{8}, Bytes{65536}));
  EXPECT_TRUE(*set.flag);
}

TEST(Parameter, TextParsesBackToTheSameValue) {
  Everything first;
  first.sizes.parse("8,1.5MB,64KiB");
  first.time.parse("1234567");
  Everything second;
  for (std::size_t i = 0; i < first.parameters().size(); ++i) {
    second.parameters()[i]->parse(first.parameters()[i]->text());
    EXPECT_EQ(second.parameters()[i]->text(), first.parameters()[i]->text());
  }
}

TEST(Parameter, ARefusalNamesParameterValueAndRuleAndChangesNothing) {
  Everything set;
  EXPECT_EQ(rejection(set.count, "0"), "--count: '0': must be greater than 0");
  EXPECT_EQ(rejection(set.count, "11"), "--count: '11': must be at most 10");
  EXPECT_EQ(rejection(set.path, ""), "--file: '': must be not empty");
  EXPECT_EQ(rejection(set.colour, "rad"), "--colour: 'rad': must be one of red, dark-blue; did you mean 'red'?");
  EXPECT_THAT(rejection(set.sizes, "8,,16"), HasSubstr("an item of the list is empty"));
  EXPECT_THAT(rejection(set.sizes, "8,0"), HasSubstr("each greater than 0"));
  EXPECT_THAT(rejection(set.flag, "7"), HasSubstr("takes no value"));
  EXPECT_EQ(*set.count, 4);
  EXPECT_FALSE(set.count.was_given());
}

TEST(Parameter, DescribesItsRules) {
  const Everything set;
  EXPECT_EQ(set.count.rule(), "greater than 0, at most 10");
  EXPECT_EQ(set.colour.rule(), "one of red, dark-blue");
  EXPECT_EQ(set.sizes.unit(), "list");
  EXPECT_TRUE(set.flag.is_flag());
}

TEST(Parameter, IsChosenByTheMotifUnlessItsValueIsGiven) {
  Everything set;
  EXPECT_EQ(*set.chosen, std::nullopt);
  EXPECT_EQ(set.chosen.default_text(), "auto");
  EXPECT_EQ(set.chosen.unit(), "count");
  EXPECT_EQ(set.chosen.rule(), "auto, or greater than 0, at most 10");
  set.chosen.parse("7");
  EXPECT_EQ(*set.chosen, 7);
  EXPECT_EQ(set.chosen.text(), "7");
  EXPECT_EQ(rejection(set.chosen, "0"), "--chosen: '0': must be auto, or greater than 0, at most 10");
  EXPECT_EQ(rejection(set.chosen, "11"), "--chosen: '11': must be auto, or greater than 0, at most 10");
  set.chosen.parse("AUTO");
  EXPECT_EQ(*set.chosen, std::nullopt);
}

TEST(Parameter, AMotifThatInheritsOneMaySetAnotherDefault) {
  Everything set;
  set.count.preset(9);
  EXPECT_EQ(*set.count, 9);
  EXPECT_EQ(set.count.default_text(), "9");
  EXPECT_FALSE(set.count.was_given());
}

}  // namespace
}  // namespace stressbench
