// Overflow-checked sums and products of numbers read from a file.
#pragma once

#include <cstdint>

#include "core/wrong_value.hpp"

namespace stressbench::checked {

// Both functions throw WrongValue if the result overflows 64 bits.
inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw WrongValue("its numbers add up to more than 2^63");
  return result;
}
inline std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw WrongValue("its numbers multiply to more than 2^63");
  return result;
}

}  // namespace stressbench::checked
