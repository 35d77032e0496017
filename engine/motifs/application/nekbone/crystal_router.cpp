#include "motifs/application/nekbone/crystal_router.hpp"

#include <numeric>

namespace stressbench::nekbone {

using calls::CallList;
using calls::Requests;

namespace {

constexpr std::int64_t int_bytes = 4;

}  // namespace

std::vector<int> Group::senders(int rank) const {
  if (mirrored(rank) == rank) return {};
  std::vector<int> ranks{mirrored(rank)};
  if (rank == middle_ && (last_ - first_) % 2 == 1) ranks.push_back(rank - 1);
  return ranks;
}

CrystalRouter::CrystalRouter(int ranks) : ranks_(ranks) {
  // Rank 0 stays in the larger half.
  for (Group group(0, ranks); !group.is_single(); group = group.half_of(0))
    sent_.emplace_back(static_cast<std::size_t>(ranks));
}

void CrystalRouter::add_from(int sender, const std::vector<std::int64_t>& ints_to) {
  std::vector<std::int64_t> ints_before(ints_to.size() + 1);
  std::inclusive_scan(ints_to.begin(), ints_to.end(), ints_before.begin() + 1);
  spread(Group(0, ranks_), sender, 0, ints_before);
}

void CrystalRouter::spread(const Group& group, int holder, std::size_t stage,
                           const std::vector<std::int64_t>& ints_before) {
  if (group.is_single()) return;
  const Group other = group.other_half(holder);
  const std::int64_t ints =
      ints_before[static_cast<std::size_t>(other.last())] - ints_before[static_cast<std::size_t>(other.first())];
  sent_[stage][static_cast<std::size_t>(holder)] += ints;
  spread(group.half_of(holder), holder, stage + 1, ints_before);
  if (ints > 0) spread(other, group.receiver(holder), stage + 1, ints_before);
}

void CrystalRouter::add_to(int receiver, std::vector<std::int64_t> ints_from) {
  std::size_t stage = 0;
  for (Group group(0, ranks_); !group.is_single(); group = group.half_of(receiver), ++stage) {
    const Group other = group.other_half(receiver);
    for (int sender = other.first(); sender < other.last(); ++sender) {
      const std::int64_t ints = ints_from[static_cast<std::size_t>(sender)];
      sent_[stage][static_cast<std::size_t>(sender)] += ints;
      ints_from[static_cast<std::size_t>(group.receiver(sender))] += ints;
    }
  }
}

void CrystalRouter::write(CallList& calls) const {
  std::size_t stage = 0;
  for (Group group(0, ranks_); !group.is_single(); group = group.half_of(calls.rank()), ++stage) {
    const std::vector<int> senders = group.senders(calls.rank());
    const auto exchange = [&](int tag, auto bytes_of) {
      const Requests requests = calls.requests(static_cast<int>(senders.size()) + 1);
      int k = 0;
      for (const int sender : senders) calls.irecv(requests[++k], sender, tag, bytes_of(sender));
      calls.isend(requests[0], group.receiver(calls.rank()), tag, bytes_of(calls.rank()));
      calls.wait_all(requests);
    };
    const int tag = 2 * static_cast<int>(stage);
    exchange(tag, [](int) { return int_bytes; });  // how many follow
    exchange(tag + 1, [&](int rank) { return int_bytes * sent_[stage][static_cast<std::size_t>(rank)]; });
  }
}

}  // namespace stressbench::nekbone
