// The crystal router of Nekbone's gather-scatter library: an exchange among all ranks in as many stages as a number of
// ranks can be halved (docs/motifs/nekbone.md).
#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_list.hpp"

namespace stressbench::nekbone {

// Ranks that exchange in a stage: the lower half up to `middle`, which is the larger one, and the others.
class Group {
 public:
  Group(int first, int last) : first_(first), middle_(first + (last - first + 1) / 2), last_(last) {}

  bool is_single() const { return last_ - first_ < 2; }
  Group half_of(int rank) const { return rank < middle_ ? Group(first_, middle_) : Group(middle_, last_); }
  Group other_half(int rank) const { return rank < middle_ ? Group(middle_, last_) : Group(first_, middle_); }
  // Of an odd number of ranks, the one in the middle has no mirror image and sends to the next.
  int receiver(int rank) const { return mirrored(rank) == rank ? middle_ : mirrored(rank); }
  // In the order in which the rank receives.
  std::vector<int> senders(int rank) const;
  int first() const { return first_; }
  int last() const { return last_; }  // not in it

 private:
  int mirrored(int rank) const { return first_ + last_ - 1 - rank; }

  int first_;
  int middle_;
  int last_;
};

class CrystalRouter {
 public:
  explicit CrystalRouter(int ranks);

  // Adds what a rank has for each rank, in integers of 4 bytes.
  void add_from(int sender, const std::vector<std::int64_t>& ints_to);
  // Adds what each rank has for a rank.
  void add_to(int receiver, std::vector<std::int64_t> ints_from);
  // Adds the calls of a rank: in each stage it sends on all that it has for the other half of its group.
  void write(calls::CallList& calls) const;

 private:
  // What `holder` has for the ranks of a group is sent there. `ints_before`: of all for ranks before each.
  void spread(const Group& group, int holder, std::size_t stage, const std::vector<std::int64_t>& ints_before);

  int ranks_;
  std::vector<std::vector<std::int64_t>> sent_;  // integers, by stage and sender
};

}  // namespace stressbench::nekbone
