// Random numbers that depend only on a seed and a position: the draw of rank 7 in execution 12 is the same for any
// number of ranks and any earlier draws (Philox4x32-10; Salmon et al., SC11; library Random123).
#pragma once

#include <cstdint>
#include <vector>

namespace stressbench {

// A position in the sequence of draws. All fields are part of the counter or key; equal positions give equal numbers.
struct Draw {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;     // purpose of the draw: a job and step, or an internal use of the engine
  std::uint32_t rank = 0;       // in the job
  std::uint64_t execution = 0;  // number of earlier draws from this stream
};

std::uint64_t random_bits(const Draw& position) noexcept;
// Uniform in the open interval (0, 1), 53 bits.
double random_unit(const Draw& position) noexcept;
// Uniform in [0, bound), bound > 0, without modulo bias beyond 2^-64.
std::uint64_t random_below(const Draw& position, std::uint64_t bound) noexcept;
// Fisher-Yates over 0..n-1; draws use position.execution, +1, +2, ...
std::vector<int> random_permutation(Draw position, int n);

}  // namespace stressbench
