// A motif on the first n ranks, as the engine would run it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../matched_messages.hpp"
#include "core/clock.hpp"
#include "motifs/motif.hpp"

namespace stressbench::test {

using Options = std::vector<std::pair<std::string, std::string>>;  // long name or -x, text; "" for a flag

inline std::unique_ptr<Motif> make_motif(const std::string& name, const Options& options = {}) {
  auto motif = MotifCatalogue::instance().make(name);
  if (!motif) throw UserMistake("no motif " + name);
  for (const auto& [option, text] : options) {
    Parameter* parameter = motif->find(option);
    if (!parameter) throw UserMistake(name + " has no " + option);
    parameter->parse(text);
  }
  return motif;
}

inline int world_size() { return mpi::Group::view(MPI_COMM_WORLD).size(); }
inline int world_rank() { return mpi::Group::view(MPI_COMM_WORLD).rank(); }

// Collective over the world. The first n ranks; an empty group for the others.
inline mpi::Group first_ranks(int n) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  return world.split(world.rank() < n ? 0 : MPI_UNDEFINED, world.rank());
}

inline bool fits(const Motif& motif, int ranks) {
  try {
    motif.check(ranks);
    return true;
  } catch (const ParameterMistake&) {
    return false;
  }
}

// A motif after decompose and prepare. Throws if the ranks would wait for messages that are never sent.
class MotifBench {
 public:
  MotifBench(const mpi::Group& group, const std::string& name, const Options& options = {}, std::uint64_t seed = 1)
      : motif_(make_motif(name, options)) {
    motif_->check(group.size());
    const auto* const lists = dynamic_cast<const CallListMotif*>(motif_.get());
    if (lists != nullptr) {
      const MessagesOfRanks messages = messages_of_ranks(*lists, group.size());
      if (messages.sent != messages.received)
        throw std::logic_error(name + ": the messages that are sent are not those that are received");
    }
    motif_->bind({"test", "now", 0});
    motif_->decompose(group, Draw{.seed = seed, .stream = 3});
    motif_->prepare(0);
  }
  Motif& operator*() const { return *motif_; }
  Motif* operator->() const { return motif_.get(); }
  void perform() { motif_->perform(recorder_); }

 private:
  MonotonicClock clock_;
  Recorder recorder_{clock_};
  std::unique_ptr<Motif> motif_;
};

}  // namespace stressbench::test
