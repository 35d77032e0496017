#include "suites/rings.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace stressbench::beff {
namespace {

Neighbours in_ring(int first, int length, int rank, auto rank_at) {
  const int position = rank - first;
  return {.left = rank_at(first + (position + length - 1) % length),
          .right = rank_at(first + (position + 1) % length),
          .length = length};
}

// First position and length of the ring that contains `position`.
std::pair<int, int> ring_at(std::span<const int> lengths, int position) {
  int first = 0;
  for (const int length : lengths) {
    if (position < first + length) return {first, length};
    first += length;
  }
  return {position, 1};
}

}  // namespace

std::vector<int> ring_lengths(int ranks, int pattern) {
  const std::array<int, ring_patterns> target_lengths{2, 4, 8, std::max(16, ranks / 4), std::max(32, ranks / 2), ranks};
  const int length = std::min(target_lengths[static_cast<std::size_t>(pattern)], ranks);
  const int rings = std::max(1, std::min(static_cast<int>(ranks / static_cast<double>(length) + 0.4), ranks / 2));
  const int short_length = ranks / rings;
  const int longer_rings = ranks - short_length * rings;
  std::vector<int> lengths(static_cast<std::size_t>(rings), short_length);
  const bool longer_first = short_length % 2 == 1;
  const auto begin = longer_first ? lengths.begin() : lengths.end() - longer_rings;
  std::fill_n(begin, longer_rings, short_length + 1);
  return lengths;
}

Neighbours neighbours_in(std::span<const int> lengths, std::span<const int> order, int rank) {
  const auto position = static_cast<int>(std::ranges::find(order, rank) - order.begin());
  const auto [first, length] = ring_at(lengths, position);
  return in_ring(first, length, position, [&](int at) { return order[static_cast<std::size_t>(at)]; });
}

Neighbours neighbours_in(std::span<const int> lengths, int rank) {
  const auto [first, length] = ring_at(lengths, rank);
  return in_ring(first, length, rank, [](int position) { return position; });
}

Neighbours neighbours_along(std::span<const int> dimensions, std::size_t direction, int rank) {
  const auto later_dimensions = dimensions.subspan(direction + 1);
  const int stride = std::accumulate(later_dimensions.begin(), later_dimensions.end(), 1, std::multiplies<>());
  const int length = dimensions[direction];
  const int coordinate = rank / stride % length;
  const auto rank_at = [&](int target_coordinate) { return rank + (target_coordinate - coordinate) * stride; };
  return {.left = rank_at((coordinate + length - 1) % length),
          .right = rank_at((coordinate + 1) % length),
          .length = length};
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
