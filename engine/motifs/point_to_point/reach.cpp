#include "motifs/point_to_point/reach.hpp"

namespace stressbench {
namespace {

Reached with_partner(bool targets, bool is_target, int partner) {
  Reached found;
  if (targets) found.targets = {{partner, 0}};
  if (is_target) found.origins = {partner};
  return found;
}

}  // namespace

Reached reached(Reach reach, const Pairing& pairs, int rank, int ranks) {
  Reached found;
  switch (reach) {
    case Reach::one_way:
    case Reach::both_ways: {
      const int partner = partner_of(rank, pairs, ranks);
      if (partner == no_partner) return found;
      const bool both = reach == Reach::both_ways;
      return with_partner(both || rank < partner, both || rank > partner, partner);
    }
    case Reach::exchange: {
      const int right = (rank + 1) % ranks;
      const int left = (rank + ranks - 1) % ranks;
      found.targets = {{right, 0}, {left, 1}};  // this rank is the left neighbour of its right neighbour
      found.origins = {left, right};
      return found;
    }
    case Reach::one_to_all:
      if (rank > 0) return with_partner(false, true, 0);
      for (int other = 1; other < ranks; ++other) found.targets.push_back({other, 0});
      return found;
    case Reach::all_to_one:
      if (rank > 0) {
        found.targets = {{0, rank - 1}};
        return found;
      }
      for (int other = 1; other < ranks; ++other) found.origins.push_back(other);
      return found;
    case Reach::all_to_all:
      // Each rank starts with the rank after it, so that not all access the same target first.
      for (int step = 1; step < ranks; ++step) {
        const int other = (rank + step) % ranks;
        found.targets.push_back({other, rank < other ? rank : rank - 1});
      }
      for (int other = 0; other < ranks; ++other) {
        if (other != rank) found.origins.push_back(other);
      }
      return found;
  }
  return found;
}

std::int64_t all_targets(Reach reach, int ranks) {
  switch (reach) {
    case Reach::one_way:
      return ranks / 2;
    case Reach::both_ways:
      return 2 * (ranks / 2);
    case Reach::exchange:
      return 2 * std::int64_t{ranks};
    case Reach::one_to_all:
    case Reach::all_to_one:
      return ranks - 1;
    case Reach::all_to_all:
      return std::int64_t{ranks} * (ranks - 1);
  }
  return 0;
}

int most_targets(Reach reach, int ranks) {
  switch (reach) {
    case Reach::one_way:
    case Reach::both_ways:
    case Reach::all_to_one:
      return 1;
    case Reach::exchange:
      return 2;
    case Reach::one_to_all:
    case Reach::all_to_all:
      return ranks - 1;
  }
  return 0;
}

int origins_of_target(Reach reach, int ranks) {
  switch (reach) {
    case Reach::one_way:
    case Reach::both_ways:
    case Reach::one_to_all:
      return 1;
    case Reach::exchange:
      return 2;
    case Reach::all_to_one:
    case Reach::all_to_all:
      return ranks - 1;
  }
  return 0;
}

}  // namespace stressbench
