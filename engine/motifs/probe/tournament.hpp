// A tournament: every pair of ranks meets once, and in each round a rank is in at most one pair.
#pragma once

#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

// With an odd number of ranks, one of them is idle in each round.
constexpr int tournament_rounds(int ranks) { return ranks % 2 == 0 ? ranks - 1 : ranks; }

// The circle method: in round k, two ranks meet if their sum is 2k modulo the number of rounds. The last of an even
// number of ranks meets rank k, which would otherwise meet itself. no_partner for the idle rank of an odd number.
constexpr int opponent(int rank, int round, int ranks) {
  const int circle = tournament_rounds(ranks);
  if (rank == circle) return round;
  const int other = ((2 * round - rank) % circle + circle) % circle;
  if (other != rank) return other;
  return circle < ranks ? circle : no_partner;
}

}  // namespace stressbench
