// Names of enumerations derived from their enumerators, and mistakes that name an option.
#include "core/enum_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace stressbench {

enum class Spelled { one, two };
template <>
struct Names<Spelled> {
  static constexpr std::array values{std::pair{std::string_view{"1"}, Spelled::one},
                                     std::pair{std::string_view{"2"}, Spelled::two}};
};

namespace {

enum class Plain { all_at_once, double_, MPI_File_write };
enum class Small : std::int8_t { only };

TEST(EnumNames, AreThoseOfTheDeclarationInItsOrder) {
  static_assert(Names<Plain>::values.size() == 3);
  EXPECT_EQ(Names<Plain>::values[0], (std::pair{std::string_view{"all_at_once"}, Plain::all_at_once}));
  EXPECT_EQ(name_of(Plain::MPI_File_write), "MPI_File_write");
  EXPECT_EQ(name_of(Small::only), "only");
}

TEST(EnumNames, LackTheUnderscoreThatAKeywordNeeds) { EXPECT_EQ(name_of(Plain::double_), "double"); }

TEST(EnumNames, AreThoseOfATableWhereThereIsOne) { EXPECT_EQ(name_of(Spelled::two), "2"); }

TEST(EnumNames, AValueWithoutAnEnumeratorHasNone) { EXPECT_EQ(name_of(static_cast<Plain>(7)), "?"); }

TEST(Reject, NamesTheOptionOrTheMotifAsAWhole) {
  const auto rejection = [](const std::string& option) {
    try {
      reject(option, "{} of {} is too many", 3, "two");
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), option);
      return std::string(mistake.what());
    }
  };
  EXPECT_EQ(rejection("depth"), "--depth: 3 of two is too many");
  EXPECT_EQ(rejection(""), "3 of two is too many");
}

TEST(Mistakes, AreFormattedOnlyWhereThereAreValues) {
  EXPECT_STREQ(UserMistake("{} stays").what(), "{} stays");
  EXPECT_STREQ(UserMistake("{} ranks", 3).what(), "3 ranks");
  EXPECT_STREQ(MachineFault("'{}': {}", "path", 5).what(), "'path': 5");
}

}  // namespace
}  // namespace stressbench
