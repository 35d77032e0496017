#include "core/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "core/error.hpp"

namespace stressbench {
namespace {

using units::bytes;
using units::count;
using units::duration;
using units::integer;
using units::real;
using units::spell;
using units::wall_duration;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(Units, APlainNumberIsBytesOrNanosecondsAsInThePaper) {
  EXPECT_EQ(bytes("1500000").value, 1500000);
  EXPECT_EQ(duration("350000").value, 350000);
  EXPECT_EQ(bytes("0").value, 0);
  EXPECT_EQ(bytes("0004096").value, 4096);
}

TEST(Units, SizesTakeBinaryAndDecimalUnitsInAnyCase) {
  EXPECT_EQ(bytes("32KiB").value, 32768);
  EXPECT_EQ(bytes("1.5MiB").value, 1572864);
  EXPECT_EQ(bytes("4MB").value, 4000000);
  EXPECT_EQ(bytes("4kB").value, 4000);
  EXPECT_EQ(bytes("4KB").value, 4000);
  EXPECT_EQ(bytes("2gib").value, 2147483648);
  EXPECT_EQ(bytes("1TiB").value, 1099511627776);
  EXPECT_EQ(bytes("8B").value, 8);
}

TEST(Units, DurationsTakeTimeUnits) {
  EXPECT_EQ(duration("350us").value, 350000);
  EXPECT_EQ(duration("350\xC2\xB5s").value, 350000);
  EXPECT_EQ(duration("1.5ms").value, 1500000);
  EXPECT_EQ(duration("30s").value, 30'000'000'000);
  EXPECT_EQ(duration("10min").value, 600'000'000'000);
  EXPECT_EQ(duration("2h").value, 7'200'000'000'000);
  EXPECT_DOUBLE_EQ(duration("30s").seconds(), 30.0);
}

TEST(Units, AWallDurationNeedsItsUnit) {
  EXPECT_EQ(wall_duration("30s").value, 30'000'000'000);
  EXPECT_THROW(wall_duration("30"), UserMistake);
  EXPECT_THROW(wall_duration("0"), UserMistake);
}

TEST(Units, CountsTakeDecimalPrefixesInTheirOwnCaseOnly) {
  EXPECT_EQ(count("4000"), 4000);
  EXPECT_EQ(count("4k"), 4000);
  EXPECT_EQ(count("1.5k"), 1500);
  EXPECT_EQ(count("2M"), 2000000);
  EXPECT_THROW(count("2m"), UserMistake);  // milli?
  EXPECT_THROW(count("1.5"), UserMistake);
}

TEST(Units, RealNumbersTakePercent) {
  EXPECT_DOUBLE_EQ(real("0.25"), 0.25);
  EXPECT_DOUBLE_EQ(real("25%"), 0.25);
  EXPECT_DOUBLE_EQ(real("1e-3"), 1e-3);
  for (const char* wrong : {"", "%", "-1", "+1", ".5", "1e999", "nan", "inf", "0x10", "1 ", "1,5"})
    EXPECT_THROW(real(wrong), UserMistake) << wrong;
}

TEST(Units, IntegersAreDigitsOnly) {
  EXPECT_EQ(integer("17"), 17);
  EXPECT_EQ(integer<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_THROW(integer<std::uint64_t>("18446744073709551616"), UserMistake);
  for (const char* wrong : {"", "-1", "+1", "1k", "1.0", "9223372036854775808"})
    EXPECT_THROW(integer(wrong), UserMistake) << wrong;
}

TEST(Units, SignsBlanksAndUnknownUnitsAreRefused) {
  for (const char* wrong : {"", " ", "-5", "+5", "5 ", " 5", "5 KiB", "KiB", ".5KiB", "5.", "5.KiB", "1..5KiB", "32K",
                            "5x", "1e3", "0x10", "5s", "1,5MB"}) {
    EXPECT_THROW(bytes(wrong), UserMistake) << wrong;
  }
  for (const char* wrong : {"", "-5us", "5 us", "us", "5m", "5S", "5sec", "5KiB"})
    EXPECT_THROW(duration(wrong), UserMistake) << wrong;
}

TEST(Units, WhatIsNotWholeIsRefusedInsteadOfRounded) {
  EXPECT_EQ(bytes("0.5KiB").value, 512);
  EXPECT_THROW(bytes("0.1KiB"), UserMistake);
  EXPECT_THROW(bytes("1.5"), UserMistake);
  EXPECT_THROW(duration("0.5ns"), UserMistake);
}

TEST(Units, TheLargestNumberIsReadAndOneMoreIsRefused) {
  EXPECT_EQ(bytes("9223372036854775807").value, largest);
  EXPECT_THROW(bytes("9223372036854775808"), UserMistake);
  EXPECT_EQ(bytes("8388607TiB").value, 8388607LL << 40);
  EXPECT_THROW(bytes("8388608TiB"), UserMistake);
  EXPECT_THROW(bytes("99999999999999999999999999999999999999999"), UserMistake);
  EXPECT_THROW(duration("2562048h"), UserMistake);
}

TEST(Units, AMistakeSaysWhatWouldBeAccepted) {
  try {
    bytes("32K");
    FAIL();
  } catch (const UserMistake& mistake) {
    EXPECT_THAT(mistake.what(), testing::HasSubstr("32KiB"));
  }
}

TEST(Units, TheSpellingIsShortAndExact) {
  EXPECT_EQ(spell(Bytes{0}), "0");
  EXPECT_EQ(spell(Bytes{8}), "8");
  EXPECT_EQ(spell(Bytes{512}), "512");
  EXPECT_EQ(spell(Bytes{4096}), "4KiB");
  EXPECT_EQ(spell(Bytes{1500000}), "1.5MB");
  EXPECT_EQ(spell(Bytes{480469}), "480469");
  EXPECT_EQ(spell(Nanoseconds{350000}), "350us");
  EXPECT_EQ(spell(Nanoseconds{0}), "0s");
  EXPECT_EQ(spell(Nanoseconds{7}), "7ns");
  EXPECT_EQ(spell(Nanoseconds{90'000'000'000}), "90s");
  EXPECT_EQ(spell(0.1), "0.1");
}

TEST(Units, EverySpellingParsesBackToTheSameValue) {
  std::mt19937_64 draws(7);
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(draws() >> 1 >> (draws() % 63)) / 1000 * 1000;
    ASSERT_EQ(bytes(spell(Bytes{value})).value, value);
    ASSERT_EQ(wall_duration(spell(Nanoseconds{value})).value, value);
    const double number = static_cast<double>(value) / 977.0;
    ASSERT_EQ(real(spell(number)), number);
  }
  EXPECT_EQ(bytes(spell(Bytes{largest})).value, largest);
}

}  // namespace
}  // namespace stressbench
