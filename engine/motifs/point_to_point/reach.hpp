// Which ranks access whose memory in a one-sided motif.
#pragma once

#include <vector>

#include "core/parameter.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

enum class Reach { one_way, both_ways, exchange, one_to_all, all_to_one, all_to_all };

// A target of one rank, and the place among the target's origins that this rank has.
struct Target {
  int rank = 0;
  int place = 0;
};

struct Reached {
  std::vector<Target> targets;  // of one rank
  std::vector<int> origins;     // that work on its memory, by place
};
Reached reached(Reach reach, const Pairing& pairs, int rank, int ranks);

// Of all ranks together, and of an origin that has the most.
std::int64_t all_targets(Reach reach, int ranks);
int most_targets(Reach reach, int ranks);
// How many origins work on one target.
int origins_of_target(Reach reach, int ranks);

}  // namespace stressbench
