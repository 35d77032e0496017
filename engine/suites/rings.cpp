#include "suites/rings.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace stressbench::beff {
namespace {

Neighbours in_ring(int first, int length, int rank, auto at) {
  const int place = rank - first;
  return {
      .left = at(first + (place + length - 1) % length), .right = at(first + (place + 1) % length), .length = length};
}

// First place and length of the ring that contains `place`.
std::pair<int, int> ring_at(std::span<const int> lengths, int place) {
  int first = 0;
  for (const int length : lengths) {
    if (place < first + length) return {first, length};
    first += length;
  }
  return {place, 1};
}

}  // namespace

std::vector<int> ring_lengths(int ranks, int pattern) {
  const std::array<int, ring_patterns> wished{2, 4, 8, std::max(16, ranks / 4), std::max(32, ranks / 2), ranks};
  const int length = std::min(wished[static_cast<std::size_t>(pattern)], ranks);
  const int rings = std::max(1, std::min(static_cast<int>(ranks / static_cast<double>(length) + 0.4), ranks / 2));
  const int low = ranks / rings;
  const int high_rings = ranks - low * rings;
  std::vector<int> lengths(static_cast<std::size_t>(rings), low);
  const bool high_first = low % 2 == 1;
  const auto begin = high_first ? lengths.begin() : lengths.end() - high_rings;
  std::fill_n(begin, high_rings, low + 1);
  return lengths;
}

Neighbours neighbours_in(std::span<const int> lengths, std::span<const int> order, int rank) {
  const auto place = static_cast<int>(std::ranges::find(order, rank) - order.begin());
  const auto [first, length] = ring_at(lengths, place);
  return in_ring(first, length, place, [&](int at) { return order[static_cast<std::size_t>(at)]; });
}

Neighbours neighbours_in(std::span<const int> lengths, int rank) {
  const auto [first, length] = ring_at(lengths, rank);
  return in_ring(first, length, rank, [](int at) { return at; });
}

Neighbours neighbours_along(std::span<const int> dimensions, std::size_t direction, int rank) {
  const auto below = dimensions.subspan(direction + 1);
  const int stride = std::accumulate(below.begin(), below.end(), 1, std::multiplies<>());
  const int length = dimensions[direction];
  const int coordinate = rank / stride % length;
  const auto at = [&](int other) { return rank + (other - coordinate) * stride; };
  return {.left = at((coordinate + length - 1) % length), .right = at((coordinate + 1) % length), .length = length};
}

std::int64_t messages_in(std::span<const int> lengths) noexcept {
  std::int64_t messages = 0;
  for (const int length : lengths) messages += std::int64_t{length} * Neighbours{.length = length}.messages();
  return messages;
}

std::int64_t messages_along(std::span<const int> dimensions, std::size_t direction) noexcept {
  std::int64_t ranks = 1;
  for (const int length : dimensions) ranks *= length;
  return ranks * Neighbours{.length = dimensions[direction]}.messages();
}

std::vector<int> worst_cycle(int ranks) {
  std::vector<int> order;
  const int half = (ranks + 1) / 2;
  for (int i = 0; i < half; ++i) {
    order.push_back(i);
    if (half + i < ranks) order.push_back(half + i);
  }
  return order;
}

}  // namespace stressbench::beff
