// What a network's links carried, where somebody counts that: a lab, or a site that reads its switches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stressbench::scheduler {

// One direction of a link; frames with their headers.
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
  // Totals since some moment that stays the same. Throws MachineFault where nobody can tell.
  virtual LinkCounts look() = 0;
};

// By how much each direction of `after` grew. One that `before` does not know, or that began anew, counts from zero.
LinkCounts growth(const LinkCounts& before, LinkCounts after);

}  // namespace stressbench::scheduler
