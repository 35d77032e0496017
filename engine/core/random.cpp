#include "core/random.hpp"

#include <Random123/philox.h>

#include <numeric>
#include <utility>

namespace stressbench {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint32_t low(std::uint64_t value) noexcept { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) noexcept { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

std::uint64_t random_bits(const Draw& position) noexcept {
  const r123::Philox4x32::ctr_type counter{
      {low(position.execution), high(position.execution), position.rank, position.stream}};
  const r123::Philox4x32::key_type key{{low(position.seed), high(position.seed)}};
  const auto words = r123::Philox4x32{}(counter, key);
  return (static_cast<std::uint64_t>(words[1]) << 32) | words[0];
}

double random_unit(const Draw& position) noexcept {
  // Odd multiples of 2^-53: never 0 or 1, and exactly representable.
  return static_cast<double>((random_bits(position) >> 11) | 1U) * 0x1p-53;
}

std::uint64_t random_below(const Draw& position, std::uint64_t bound) noexcept {
  return static_cast<std::uint64_t>((static_cast<Wide>(random_bits(position)) * bound) >> 64);
}

std::vector<int> random_permutation(Draw position, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t last = order.size(); last > 1; --last, ++position.execution) {
    std::swap(order[last - 1], order[random_below(position, last)]);
  }
  return order;
}

}  // namespace stressbench
