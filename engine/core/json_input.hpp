// JSON from files that the user names: parsing with bounded memory, and range-checked integers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/input_limits.hpp"
#include "core/wrong_value.hpp"

namespace stressbench {

// Throws what `Json::parse` throws, and WrongValue for a text that may hold more than `input_limits::max_json_values`
// values. They are counted before parsing, since the time of nlohmann's parser with a callback grows quadratically with
// the length of an array.
template <class Json>
Json parse_json(std::string_view text) {
  const auto begins_another = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
  if (std::ranges::count_if(text, begins_another) > input_limits::max_json_values)
    throw WrongValue(fmt::format("holds more than {} JSON values", input_limits::max_json_values));
  return Json::parse(text);
}

// A whole number from `minimum` to `maximum`. Throws WrongValue for anything else; a plain `get` would truncate it to
// fit.
template <std::integral T, class Json>
T whole_number(const Json& value, T minimum = std::numeric_limits<T>::min(),
               T maximum = std::numeric_limits<T>::max()) {
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<T>(number) && static_cast<T>(number) >= minimum && static_cast<T>(number) <= maximum) {
      return static_cast<T>(number);
    }
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<T>(number) && static_cast<T>(number) >= minimum && static_cast<T>(number) <= maximum) {
      return static_cast<T>(number);
    }
  }
  const std::string text = value.is_primitive()
                               ? value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40)
                               : std::string(value.type_name());
  throw WrongValue(fmt::format("{} instead of a whole number from {} to {}", text, minimum, maximum));
}

}  // namespace stressbench
