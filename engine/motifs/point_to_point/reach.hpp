// Which ranks access whose memory in a one-sided motif.
#pragma once

#include <vector>

#include "core/parameter.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

enum class Reach { one_way, both_ways, exchange, one_to_all, all_to_one, all_to_all };

// A target of a rank, and that rank's place among the origins of the target.
struct Target {
  int rank = 0;
  int place = 0;
};

struct Reached {
  std::vector<Target> targets;  // targets of a rank
  std::vector<int> origins;     // ranks that access its memory, by place
};
Reached reached(Reach reach, const Pairing& pairs, int rank, int ranks);

// Number of targets: the sum over all ranks, and the maximum of one origin.
std::int64_t all_targets(Reach reach, int ranks);
int most_targets(Reach reach, int ranks);
// Number of origins that access one target.
int origins_of_target(Reach reach, int ranks);

}  // namespace stressbench
