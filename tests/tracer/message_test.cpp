#include "message.hpp"

#include <gtest/gtest.h>

namespace stressbench::trace {
namespace {

TEST(Message, control_characters_are_printed_as_escapes) {
  EXPECT_EQ(escaped("a\tb\n\x1b[31m\x7f\r"), "a\tb\n\\u001b[31m\\u007f\\u000d");
  EXPECT_EQ(escaped("\xc2\x9b \xe2\x80\xae \xe2\x81\xa6"), "\\u009b \\u202e \\u2066");
}

TEST(Message, other_text_stays_as_it_is) {
  EXPECT_EQ(escaped("/tmp/\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), "/tmp/\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(Message, bytes_that_are_not_utf8_are_printed_as_escapes) {
  EXPECT_EQ(escaped("\x9b|\xff|\xc2|\xe2\x80"), "\\x9b|\\xff|\\xc2|\\xe2\\x80");
  EXPECT_EQ(escaped("\xc0\x9b|\xed\xa0\x80|\xf4\x90\x80\x80"), "\\xc0\\x9b|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80");
}

}  // namespace
}  // namespace stressbench::trace
