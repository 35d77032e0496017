#include "motifs/application/call_list_motif.hpp"

namespace stressbench {

void CallListMotif::check(int ranks) const {
  check_ranks(ranks);
  calls_of(0, ranks);  // throws if a message is too long
}

calls::CallList CallListMotif::calls_of(int rank, int ranks) const {
  calls::CallList calls(rank, ranks);
  write(calls);
  return calls;
}

Traffic CallListMotif::traffic(int ranks) const {
  Traffic sum;
  for (int rank = 0; rank < ranks; ++rank) {
    const Traffic own = calls_of(rank, ranks).traffic(scale());
    sum.messages += own.messages;
    sum.message_bytes += own.message_bytes;
    sum.collectives += own.collectives;
    sum.collective_bytes += own.collective_bytes;
    sum.compute_s += own.compute_s / ranks;
  }
  return sum;
}

void CallListMotif::decompose(const mpi::Group& group, const Draw&) {
  executor_ = std::make_unique<calls::CallListExecutor>(calls_of(group.rank(), group.size()), group);
}

}  // namespace stressbench
