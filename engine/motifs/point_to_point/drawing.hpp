// When a random pattern draws its partners.
#pragma once

#include "core/parameter.hpp"

namespace stressbench {

enum class Drawing { once, iteration };
inline constexpr const char* drawing_help = "one pattern for the whole run, or a new one each iteration";

}  // namespace stressbench
