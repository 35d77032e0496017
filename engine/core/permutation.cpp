#include "core/permutation.hpp"

#include <cmath>

#include "core/mix.hpp"

namespace stressbench {

Permutation::Permutation(std::int64_t n, std::uint64_t key) noexcept
    : n_(static_cast<std::uint64_t>(n)),
      columns_(static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(n))))),
      rows_((n_ + columns_ - 1) / columns_) {
  for (std::uint64_t& round : keys_) round = key = mix(key);
}

std::int64_t Permutation::operator()(std::int64_t index) const noexcept {
  auto place = shuffled(static_cast<std::uint64_t>(index));
  while (place >= n_) place = shuffled(place);
  return static_cast<std::int64_t>(place);
}

// Each round adds a function of one half to the other half. This is invertible, so the result is a bijection for any
// `mix`.
std::uint64_t Permutation::shuffled(std::uint64_t value) const noexcept {
  std::uint64_t column = value % columns_;
  std::uint64_t row = value / columns_;
  for (std::size_t round = 0; round < rounds; round += 2) {
    column = (column + mix(keys_[round] ^ row) % columns_) % columns_;
    row = (row + mix(keys_[round + 1] ^ column) % rows_) % rows_;
  }
  return row * columns_ + column;
}

}  // namespace stressbench
