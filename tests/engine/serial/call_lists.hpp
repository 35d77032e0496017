// What a scripted motif does on any number of ranks, as text or as totals, without MPI.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "motifs/application/call_list_motif.hpp"

namespace stressbench::test {

using Options = std::vector<std::pair<std::string, std::string>>;

inline std::unique_ptr<Motif> configured(const std::string& name, const Options& options, int ranks) {
  auto motif = MotifCatalogue::instance().make(name);
  for (const auto& [option, text] : options) motif->find(option)->parse(text);
  motif->check(ranks);
  return motif;
}

inline const CallListMotif& scripted(const Motif& motif) { return dynamic_cast<const CallListMotif&>(motif); }

// Calls visit(step) for each step as often as it is done.
template <class Visit>
void each_step_done(const calls::CallList& calls, Visit visit) {
  const std::vector<calls::Step>& steps = calls.steps();
  std::vector<int> left(steps.size(), 0);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].act == calls::Act::repeat) {
      left[k] = steps[k].times;
      if (left[k] == 0) k = static_cast<std::size_t>(steps[k].other);
    } else if (steps[k].act == calls::Act::end_repeat) {
      if (--left[static_cast<std::size_t>(steps[k].other)] > 0) k = static_cast<std::size_t>(steps[k].other);
    } else {
      visit(steps[k]);
    }
  }
}

// The name of a step in the reference profiles; empty: they have none for it.
inline std::string token(const calls::Step& step) {
  using calls::Act;
  const std::int64_t size = calls::size_of(step.kind);
  switch (step.act) {
    case Act::send:
      return fmt::format("S>{}:{}:{}", step.peer, step.tag, step.count * size);
    case Act::receive:
      return fmt::format("R<{}:{}:{}", step.from, step.from_tag, step.room * size);
    case Act::isend:
      return fmt::format("Is>{}:{}:{}", step.peer, step.tag, step.count * size);
    case Act::irecv:
      return fmt::format("Ir<{}:{}:{}", step.from, step.from_tag, step.room * size);
    case Act::sendrecv:
      return fmt::format("SR>{}:{}<{}:{}", step.peer, step.count * size, step.from, step.room * size);
    case Act::wait:
      return "W(1)";
    case Act::wait_all:
      return fmt::format("Wa({})", step.requests);
    case Act::allreduce:
      return fmt::format("Allreduce:{}", step.count * size);
    case Act::barrier:
      return "Barrier";
    case Act::alltoall:
      return fmt::format("Alltoall:{}", step.count * size);
    case Act::alltoallv:
      return "Alltoallv";
    default:
      return "";
  }
}

inline std::string calls_of(const Motif& motif, int rank, int ranks) {
  std::string text;
  each_step_done(scripted(motif).calls_of(rank, ranks), [&](const calls::Step& step) {
    const std::string word = token(step);
    if (!word.empty()) text += (text.empty() ? "" : " ") + word;
  });
  return text;
}

// Every message that is sent is received, in the same order between two ranks and under a tag, with the same size.
inline void expect_that_messages_meet(const Motif& motif, int ranks) {
  std::map<std::tuple<int, int, int>, std::vector<std::int64_t>> sent;
  std::map<std::tuple<int, int, int>, std::vector<std::int64_t>> received;
  for (int rank = 0; rank < ranks; ++rank) {
    each_step_done(scripted(motif).calls_of(rank, ranks), [&](const calls::Step& step) {
      if (step.act >= calls::Act::start_all && step.act != calls::Act::sendrecv) return;
      const std::int64_t size = calls::size_of(step.kind);
      if (step.peer >= 0) sent[{rank, step.peer, step.tag}].push_back(step.count * size);
      if (step.from >= 0) received[{step.from, rank, step.from_tag}].push_back(step.arriving * size);
    });
  }
  EXPECT_EQ(sent, received) << ranks << " ranks";
}

// What the motif announces is the sum of what its ranks' scripts say.
inline void expect_the_sum_of_scripts(const Motif& motif, int ranks) {
  const Traffic said = motif.traffic(ranks);
  const Traffic sum = scripted(motif).CallListMotif::traffic(ranks);
  EXPECT_EQ(said.messages, sum.messages) << ranks << " ranks";
  EXPECT_EQ(said.message_bytes, sum.message_bytes) << ranks << " ranks";
  EXPECT_EQ(said.collectives, sum.collectives) << ranks << " ranks";
  EXPECT_EQ(said.collective_bytes, sum.collective_bytes) << ranks << " ranks";
  EXPECT_NEAR(said.compute_s, sum.compute_s, 1e-9 + 1e-6 * sum.compute_s) << ranks << " ranks";
}

}  // namespace stressbench::test
