// Which ranks access whose memory in a one-sided motif.
#pragma once

#include <vector>

#include "core/parameter.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

enum class AccessPattern { one_way, both_ways, exchange, one_to_all, all_to_one, all_to_all };

// A target of a rank, and that rank's index among the origins of the target.
struct Target {
  int rank = 0;
  int origin_index = 0;
};

struct AccessPeers {
  std::vector<Target> targets;  // targets of a rank
  std::vector<int> origins;     // ranks that access its memory, by index
};
AccessPeers access_peers(AccessPattern pattern, const Pairing& pairs, int rank, int ranks);

// Number of targets: the sum over all ranks, and the maximum of one origin.
std::int64_t total_targets(AccessPattern pattern, int ranks);
int max_targets_per_origin(AccessPattern pattern, int ranks);
// Number of origins that access one target.
int origins_per_target(AccessPattern pattern, int ranks);

}  // namespace stressbench
