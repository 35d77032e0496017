// Rules for options that several suites have.
#pragma once

#include <cstdint>
#include <string_view>

namespace stressbench::beff {

struct NotNegative {
  static constexpr std::string_view words = "0 or more";
  static bool holds(std::int64_t value) noexcept { return value >= 0; }
};

}  // namespace stressbench::beff
