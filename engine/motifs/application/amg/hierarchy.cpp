#include "motifs/application/amg/hierarchy.hpp"

#include <algorithm>

namespace stressbench::amg {

bool Exchanges::add(int level, int from, int to, std::int64_t bytes) {
  Exchange& of_sender = by_level_and_rank_[{level, from}][to];
  if (of_sender.sent > 0) return false;
  of_sender.peer = to;
  of_sender.sent = bytes;
  Exchange& of_receiver = by_level_and_rank_[{level, to}][from];
  of_receiver.peer = from;
  of_receiver.received = bytes;
  levels_ = std::max(levels_, level + 1);
  return true;
}

std::vector<Exchange> Exchanges::of(int level, int rank) const {
  std::vector<Exchange> found;
  const auto at = by_level_and_rank_.find({level, rank});
  if (at == by_level_and_rank_.end()) return found;
  for (const auto& [peer, exchange] : at->second) found.push_back(exchange);
  return found;
}

}  // namespace stressbench::amg
