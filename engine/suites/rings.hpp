// Neighbours of each rank in the patterns of b_eff (Rabenseifner and Koniges, section 4). No MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stressbench::beff {

constexpr int ring_patterns = 6;

// Lengths of the rings that `ranks` >= 2 ranks form in pattern 0 to 5, in the order of the ranks; their sum is `ranks`.
// As in the original's ring_numbers.c, which agrees with the text of the paper from 29 ranks on.
std::vector<int> ring_lengths(int ranks, int pattern);

// A rank in a ring. Length 1: it sends nothing. Length 2: left and right are the same rank, which gets one message.
struct Neighbours {
  int left = 0;
  int right = 0;
  int length = 1;

  int messages() const noexcept { return length < 2 ? 0 : length == 2 ? 1 : 2; }  // that a rank sends in an iteration
  friend bool operator==(const Neighbours&, const Neighbours&) = default;
};

// Neighbours of `rank` in rings of these lengths, formed from the ranks in the order `order` (which has each rank
// once).
Neighbours neighbours_in(std::span<const int> lengths, std::span<const int> order, int rank);
// The same for ranks in the order 0, 1, 2, ...
Neighbours neighbours_in(std::span<const int> lengths, int rank);
// Neighbours of `rank` in a ring along one direction of a grid with periodic borders; `dimensions` as in
// MPI_Cart_create.
Neighbours neighbours_along(std::span<const int> dimensions, std::size_t direction, int rank);

// Messages of all ranks in one iteration.
std::int64_t messages_in(std::span<const int> lengths) noexcept;
std::int64_t messages_along(std::span<const int> dimensions, std::size_t direction) noexcept;

// 0, n/2, 1, n/2 + 1, ...: a ring in which neighbours are as far apart as possible.
std::vector<int> worst_cycle(int ranks);

// The order of ranks in the original code: each rank takes a random position or, if that is taken, the next free one.
// Stretches of taken positions grow in the order of the ranks, so that too many neighbours share a node (three times
// too many on 1,024 ranks). `unit(i)`: the i-th random number, in (0, 1).
template <class Unit>
std::vector<int> probed_order(int ranks, Unit unit) {
  std::vector<int> order(static_cast<std::size_t>(ranks), -1);
  for (int rank = 0; rank < ranks; ++rank) {
    auto position = static_cast<std::size_t>(unit(rank) * ranks) % order.size();
    while (order[position] != -1) position = (position + 1) % order.size();
    order[position] = rank;
  }
  return order;
}

}  // namespace stressbench::beff
