// When a random pattern draws who sends to whom.
#pragma once

#include <array>

#include "core/parameter.hpp"

namespace stressbench {

enum class Drawing { once, iteration };
template <>
struct Names<Drawing> {
  static constexpr std::array values{std::pair{std::string_view{"once"}, Drawing::once},
                                     std::pair{std::string_view{"iteration"}, Drawing::iteration}};
};
inline constexpr const char* drawing_help = "one pattern for the whole run, or a new one each iteration";

}  // namespace stressbench
