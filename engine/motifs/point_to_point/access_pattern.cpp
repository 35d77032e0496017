#include "motifs/point_to_point/access_pattern.hpp"

namespace stressbench {
namespace {

AccessPeers partner_only(bool accesses, bool is_accessed, int partner) {
  AccessPeers peers;
  if (accesses) peers.targets = {{partner, 0}};
  if (is_accessed) peers.origins = {partner};
  return peers;
}

}  // namespace

AccessPeers access_peers(AccessPattern pattern, const Pairing& pairs, int rank, int ranks) {
  AccessPeers peers;
  switch (pattern) {
    case AccessPattern::one_way:
    case AccessPattern::both_ways: {
      const int partner = partner_of(rank, pairs, ranks);
      if (partner == no_partner) return peers;
      const bool both = pattern == AccessPattern::both_ways;
      return partner_only(both || rank < partner, both || rank > partner, partner);
    }
    case AccessPattern::exchange: {
      const int right = (rank + 1) % ranks;
      const int left = (rank + ranks - 1) % ranks;
      peers.targets = {{right, 0}, {left, 1}};  // this rank is the left neighbour of its right neighbour
      peers.origins = {left, right};
      return peers;
    }
    case AccessPattern::one_to_all:
      if (rank > 0) return partner_only(false, true, 0);
      for (int other = 1; other < ranks; ++other) peers.targets.push_back({other, 0});
      return peers;
    case AccessPattern::all_to_one:
      if (rank > 0) {
        peers.targets = {{0, rank - 1}};
        return peers;
      }
      for (int other = 1; other < ranks; ++other) peers.origins.push_back(other);
      return peers;
    case AccessPattern::all_to_all:
      // Each rank starts with the rank after it, so that not all access the same target first.
      for (int step = 1; step < ranks; ++step) {
        const int other = (rank + step) % ranks;
        peers.targets.push_back({other, rank < other ? rank : rank - 1});
      }
      for (int other = 0; other < ranks; ++other) {
        if (other != rank) peers.origins.push_back(other);
      }
      return peers;
  }
  return peers;
}

std::int64_t total_targets(AccessPattern pattern, int ranks) {
  switch (pattern) {
    case AccessPattern::one_way:
      return ranks / 2;
    case AccessPattern::both_ways:
      return 2 * (ranks / 2);
    case AccessPattern::exchange:
      return 2 * std::int64_t{ranks};
    case AccessPattern::one_to_all:
    case AccessPattern::all_to_one:
      return ranks - 1;
    case AccessPattern::all_to_all:
      return std::int64_t{ranks} * (ranks - 1);
  }
  return 0;
}

int max_targets_per_origin(AccessPattern pattern, int ranks) {
  switch (pattern) {
    case AccessPattern::one_way:
    case AccessPattern::both_ways:
    case AccessPattern::all_to_one:
      return 1;
    case AccessPattern::exchange:
      return 2;
    case AccessPattern::one_to_all:
    case AccessPattern::all_to_all:
      return ranks - 1;
  }
  return 0;
}

int origins_per_target(AccessPattern pattern, int ranks) {
  switch (pattern) {
    case AccessPattern::one_way:
    case AccessPattern::both_ways:
    case AccessPattern::one_to_all:
      return 1;
    case AccessPattern::exchange:
      return 2;
    case AccessPattern::all_to_one:
    case AccessPattern::all_to_all:
      return ranks - 1;
  }
  return 0;
}

}  // namespace stressbench
