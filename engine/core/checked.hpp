// Sums and products of numbers that come from a file, whatever they are.
#pragma once

#include <cstdint>

#include "core/wrong_value.hpp"

namespace stressbench::checked {

// All throw WrongValue where the result does not fit.
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
