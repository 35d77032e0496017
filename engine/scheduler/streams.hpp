// Streams of random numbers: one for each purpose, so that they are independent.
#pragma once

#include <cstdint>

namespace stressbench::scheduler::streams {

inline constexpr std::uint32_t block_order = 0xB10C0000U;
inline constexpr std::uint32_t placement = 0xB10C0001U;
// Streams of the motifs, by job and step; they never reach the numbers above.
inline constexpr std::uint32_t of_step(int job, int step) noexcept {
  return (static_cast<std::uint32_t>(job) << 12) + static_cast<std::uint32_t>(step);
}

}  // namespace stressbench::scheduler::streams
