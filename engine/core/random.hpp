// Random numbers that depend on nothing but a seed and a position: the draw of rank 7 in execution 12 is the same
// however many ranks run, and whatever was drawn before (Philox4x32-10; Salmon et al., SC11; library Random123).
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench {

// A position in the sequence of draws. All fields are part of the counter or key; equal positions give equal numbers.
struct Draw {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;     // what is drawn for: job and step, or one of the engine's own purposes
  std::uint32_t rank = 0;       // of the job
  std::uint64_t execution = 0;  // how many draws this stream had before
};

std::uint64_t random_bits(const Draw& position) noexcept;
// In the open interval (0, 1), 53 bits.
double random_unit(const Draw& position) noexcept;
// Uniform in [0, bound), bound > 0, without modulo bias beyond 2^-64.
std::uint64_t random_below(const Draw& position, std::uint64_t bound) noexcept;
// Fisher-Yates over 0..n-1; draws use position.execution, +1, +2, ...
std::vector<int> random_permutation(Draw position, int n);

}  // namespace stressbench
