// Pseudo-random permutation of 0..n-1, selected by a key, in constant memory: the order of a rank's random transfers in
// a file of any length.
#pragma once

#include <array>
#include <cstdint>

namespace stressbench {

// A generalised Feistel network with cycle walking (Black and Rogaway, CT-RSA 2002) over columns * rows >= n, which
// exceeds n by less than one row.
class Permutation {
 public:
  Permutation(std::int64_t n, std::uint64_t key) noexcept;  // n >= 1

  // The image of `index` in [0, n).
  std::int64_t operator()(std::int64_t index) const noexcept;
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(n_); }

 private:
  static constexpr std::size_t rounds = 6;
  std::uint64_t shuffled(std::uint64_t value) const noexcept;

  std::uint64_t n_;
  std::uint64_t columns_;
  std::uint64_t rows_;
  std::array<std::uint64_t, rounds> keys_{};
};

}  // namespace stressbench
