// Quantities with units: strong types, and their spelling in workloads and on command lines.
// Plain numbers are bytes or nanoseconds, as in the StressBench paper's Listing 1.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace stressbench {

struct Bytes {
  std::int64_t value = 0;
  auto operator<=>(const Bytes&) const = default;
};

struct Nanoseconds {
  std::int64_t value = 0;
  auto operator<=>(const Nanoseconds&) const = default;
  double seconds() const noexcept { return static_cast<double>(value) * 1e-9; }
};

namespace units {

// Each parser reads the whole text, or throws UserMistake that says what is accepted. No sign, no blanks, no overflow.
Bytes bytes(std::string_view text);                // 4096, 32KiB, 1.5MiB, 4MB
Nanoseconds duration(std::string_view text);       // 350000, 350us, 1.5ms, 30s, 10min, 2h
Nanoseconds wall_duration(std::string_view text);  // as duration, but with a mandatory unit
std::int64_t count(std::string_view text);         // 4000, 4k (10^3), 2M (10^6)
double real(std::string_view text);                // 0.25, 25%

// Digits only. Integer: std::int64_t or, for seeds, std::uint64_t.
template <class Integer = std::int64_t>
Integer integer(std::string_view text);

// The shortest exact spelling, which parses back to the same value. A time always has a unit, so that wall_duration
// reads it too.
std::string spell(Bytes size);
std::string spell(Nanoseconds time);
std::string spell(double value);

}  // namespace units
}  // namespace stressbench
