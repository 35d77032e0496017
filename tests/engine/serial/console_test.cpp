// Output to a terminal: text, but no control sequences.
#include "core/console.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stressbench::console {
namespace {

TEST(Console, LeavesTextAsItIs) {
  EXPECT_EQ(escaped("job 'Größe' \u65e5\u672c \U0001F600\n\tcolumn\n"),
            "job 'Größe' \u65e5\u672c \U0001F600\n\tcolumn\n");
}

TEST(Console, ShowsControlCharactersInPlaceOfSendingThem) {
  EXPECT_EQ(escaped("\x1b[31mred\x1b]0;title\x07"), "\\u001b[31mred\\u001b]0;title\\u0007");
  EXPECT_EQ(escaped(std::string("a\0b\r\b\x7f", 6)), "a\\u0000b\\u000d\\u0008\\u007f");
  EXPECT_EQ(escaped("\u009b31m"), "\\u009b31m");  // C1, as UTF-8
}

TEST(Console, ShowsWhatTurnsTextRoundOrEndsALine) {
  EXPECT_EQ(escaped("a\u202eb\u2066c\u2069\u2028d\u2029"), "a\\u202eb\\u2066c\\u2069\\u2028d\\u2029");
  EXPECT_EQ(escaped("\u061c\u200e\u200f\u202a"), "\\u061c\\u200e\\u200f\\u202a");
  EXPECT_EQ(escaped("\u061b\u200d\u2027\u202f\u2065\u206a"), "\u061b\u200d\u2027\u202f\u2065\u206a");
}

TEST(Console, ShowsBytesThatAreNoTextBecauseSomeTerminalsTakeThemForC1) {
  EXPECT_EQ(escaped("\x9b"
                    "31m\xff\xc3"),
            "\\x9b31m\\xff\\xc3");
}

TEST(Console, WritesTheSameJson) {
  const nlohmann::json value{{"name", "a\x1b\x7f\u009b\n\"b\""}};
  EXPECT_EQ(nlohmann::json::parse(escaped(value.dump(2))), value);
}

TEST(Console, RewritesALineWithoutObeyingWhatStandsInIt) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  rewrite_line(file, "round 1: \x1b[2J alone");
  std::rewind(file);
  std::string got(100, '\0');
  got.resize(std::fread(got.data(), 1, got.size(), file));
  std::fclose(file);
  EXPECT_EQ(got, "\r\033[Kround 1: \\u001b[2J alone");
}

}  // namespace
}  // namespace stressbench::console
