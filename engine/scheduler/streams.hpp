// What the engine draws random numbers for: one stream each, so that none disturbs another.
#pragma once

#include <cstdint>

namespace stressbench::scheduler::streams {

inline constexpr std::uint32_t block_order = 0xB10C0000U;
inline constexpr std::uint32_t placement = 0xB10C0001U;
// Streams of the motifs: job and step; the numbers above are out of their reach.
inline constexpr std::uint32_t of_step(int job, int step) noexcept {
  return (static_cast<std::uint32_t>(job) << 12) + static_cast<std::uint32_t>(step);
}

}  // namespace stressbench::scheduler::streams
