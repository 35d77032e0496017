// Traffic counters of network links, if a test lab or a site provides them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stressbench::scheduler {

// One direction of a link. Bytes include the headers of frames.
struct LinkCount {
  std::string link;
  std::string source;
  std::string target;
  std::optional<std::int64_t> rate_bits_per_s;
  std::int64_t bytes = 0;
  std::int64_t frames = 0;
  std::int64_t drops = 0;
};
using LinkCounts = std::vector<LinkCount>;

class LinkCounters {
 public:
  virtual ~LinkCounters() = default;
  // Totals since a fixed moment. Throws MachineFault if they cannot be read.
  virtual LinkCounts read() = 0;
};

// The increase of each counter from `before` to `after`. A direction that is missing in `before`, or whose counters
// were reset, counts from zero.
LinkCounts counter_increase(const LinkCounts& before, LinkCounts after);

}  // namespace stressbench::scheduler
