#include "motifs/application/scripted.hpp"

namespace stressbench {

void Scripted::check(int ranks) const {
  check_ranks(ranks);
  script_of(0, ranks);  // throws where a message is too long
}

calls::Script Scripted::script_of(int rank, int ranks) const {
  calls::Script script(rank, ranks);
  write(script);
  return script;
}

Traffic Scripted::traffic(int ranks) const {
  Traffic sum;
  for (int rank = 0; rank < ranks; ++rank) {
    const Traffic own = script_of(rank, ranks).traffic(scale());
    sum.messages += own.messages;
    sum.message_bytes += own.message_bytes;
    sum.collectives += own.collectives;
    sum.collective_bytes += own.collective_bytes;
    sum.compute_s += own.compute_s / ranks;
  }
  return sum;
}

void Scripted::decompose(const mpi::Group& group, const Draw&) {
  performance_ = std::make_unique<calls::Performance>(script_of(group.rank(), group.size()), group);
}

}  // namespace stressbench
