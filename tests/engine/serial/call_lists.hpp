// Call lists of motifs on any number of ranks, as text or as totals, without MPI.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../matched_messages.hpp"
#include "motifs/application/call_list_motif.hpp"

namespace stressbench::test {

using Options = std::vector<std::pair<std::string, std::string>>;

inline std::unique_ptr<Motif> configured(const std::string& name, const Options& options, int ranks) {
  auto motif = MotifCatalogue::instance().make(name);
  for (const auto& [option, text] : options) motif->find(option)->parse(text);
  motif->check(ranks);
  return motif;
}

inline const CallListMotif& call_list_motif(const Motif& motif) { return dynamic_cast<const CallListMotif&>(motif); }

// Calls visit(call) for each execution of a call.
template <class Visit>
void for_each_executed_call(const calls::CallList& list, Visit visit) {
  std::vector<int> remaining_passes(list.calls().size());
  calls::for_each_execution(list.calls(), remaining_passes, [&](const calls::Call& call, std::size_t) { visit(call); });
}

// The name of a call in the reference profiles; empty if they do not contain it. No test is successful, so that all
// waits are made.
inline std::string token(const calls::Call& call) {
  return std::visit(
      []<class C>(const C& one) -> std::string {
        const auto bytes = [&](int count) {
          if constexpr (requires { one.type; }) return count * calls::size_of(one.type);
          return std::int64_t{0};
        };
        if constexpr (std::same_as<C, calls::Send>)
          return fmt::format("S>{}:{}:{}", one.out.to, one.out.tag, bytes(one.out.count));
        if constexpr (std::same_as<C, calls::Receive>)
          return fmt::format("R<{}:{}:{}", one.in.from, one.in.tag, bytes(one.in.capacity));
        if constexpr (std::same_as<C, calls::Isend>)
          return fmt::format("Is>{}:{}:{}", one.out.to, one.out.tag, bytes(one.out.count));
        if constexpr (std::same_as<C, calls::Irecv>)
          return fmt::format("Ir<{}:{}:{}", one.in.from, one.in.tag, bytes(one.in.capacity));
        if constexpr (std::same_as<C, calls::SendInit>) return "Send_init" + token(calls::Isend(one)).substr(2);
        if constexpr (std::same_as<C, calls::ReceiveInit>) return "Recv_init" + token(calls::Irecv(one)).substr(2);
        if constexpr (std::same_as<C, calls::FreeRequest>) return "Request_free";
        if constexpr (std::same_as<C, calls::SendReceive>) {
          return fmt::format("SR>{}:{}<{}:{}", one.out.to, bytes(one.out.count), one.in.from, bytes(one.in.capacity));
        }
        if constexpr (std::same_as<C, calls::UnmatchedIrecv>)
          return fmt::format("Ir<{}:{}:{}", one.from, one.tag, bytes(one.capacity));
        if constexpr (std::same_as<C, calls::Cancel>) return "Cancel";
        if constexpr (std::same_as<C, calls::Wait>) return "W(1)";
        if constexpr (std::same_as<C, calls::WaitAll> || std::same_as<C, calls::WaitAllUnlessTested>)
          return fmt::format("Wa({})", one.requests.count);
        if constexpr (std::same_as<C, calls::Allreduce>) return fmt::format("Allreduce:{}", bytes(one.count));
        if constexpr (std::same_as<C, calls::Barrier>) return "Barrier";
        if constexpr (std::same_as<C, calls::Alltoall>) return fmt::format("Alltoall:{}", bytes(one.count));
        if constexpr (std::same_as<C, calls::Alltoallv>) return "Alltoallv";
        return "";
      },
      call);
}

// For expected texts: `words`, `times` times.
inline std::string repeated(int times, const std::string& words) {
  std::string text;
  for (int k = 0; k < times; ++k) text += words;
  return text;
}

inline std::string calls_of(const Motif& motif, int rank, int ranks) {
  std::string text;
  const calls::CallList list = call_list_motif(motif).calls_of(rank, ranks);
  PersistentMessages persistent(list);
  for_each_executed_call(list, [&](const calls::Call& call) {
    std::string word = token(call);
    std::visit(
        [&]<class C>(const C& one) {
          persistent.for_each_message(one, [&]<class M>(const M& message) {
            if constexpr (std::same_as<C, calls::Start>) word = "Start(" + token(message).substr(2) + ")";
          });
        },
        call);
    if (!word.empty()) text += (text.empty() ? "" : " ") + word;
  });
  return text;
}

// Checks that every message sent is received with the same size, in the same order per pair of ranks and tag.
inline void expect_matching_messages(const Motif& motif, int ranks) {
  const MessagesOfRanks messages = messages_of_ranks(call_list_motif(motif), ranks);
  EXPECT_EQ(messages.sent, messages.received) << ranks << " ranks";
}

// Checks that the announced traffic is the sum over the call lists of all ranks.
inline void expect_traffic_equals_call_lists(const Motif& motif, int ranks) {
  const Traffic announced = motif.traffic(ranks);
  const Traffic sum = call_list_motif(motif).traffic_of_call_lists(ranks);
  EXPECT_EQ(announced.messages, sum.messages) << ranks << " ranks";
  EXPECT_EQ(announced.message_bytes, sum.message_bytes) << ranks << " ranks";
  EXPECT_EQ(announced.collectives, sum.collectives) << ranks << " ranks";
  EXPECT_EQ(announced.collective_bytes, sum.collective_bytes) << ranks << " ranks";
  EXPECT_NEAR(announced.compute_s, sum.compute_s, 1e-9 + 1e-6 * sum.compute_s) << ranks << " ranks";
}

}  // namespace stressbench::test
