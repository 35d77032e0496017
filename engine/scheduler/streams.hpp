// Streams of random numbers, one per purpose, so that they are independent.
#pragma once

#include <cstdint>

namespace stressbench::scheduler::streams {

inline constexpr std::uint32_t block_order = 0xB10C0000U;
inline constexpr std::uint32_t placement = 0xB10C0001U;
// Stream of a motif, by job and step; never equal to one of the numbers above.
inline constexpr std::uint32_t of_step(int job, int step) noexcept {
  return (static_cast<std::uint32_t>(job) << 12) + static_cast<std::uint32_t>(step);
}

}  // namespace stressbench::scheduler::streams
