// Every pair of ranks meets once, and in each round a rank is in one pair at most.
#pragma once

#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

// With an odd number of ranks one is idle in each round.
constexpr int tournament_rounds(int ranks) { return ranks % 2 == 0 ? ranks - 1 : ranks; }

// The circle method: in round k all but the last meet who makes their numbers sum to 2k, and the last meets k, who
// would meet itself. no_partner where an odd number leaves a rank idle.
constexpr int opponent(int rank, int round, int ranks) {
  const int circle = tournament_rounds(ranks);
  if (rank == circle) return round;
  const int other = ((2 * round - rank) % circle + circle) % circle;
  if (other != rank) return other;
  return circle < ranks ? circle : no_partner;
}

}  // namespace stressbench
