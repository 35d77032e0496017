// The messages between the ranks of a motif: what is sent, and what is received.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <variant>
#include <vector>

#include "motifs/application/call_list_motif.hpp"
#include "persistent.hpp"

namespace stressbench::test {

// Bytes of the messages of each sender, receiver and tag, in order.
using MessageSizes = std::map<std::tuple<int, int, int>, std::vector<std::int64_t>>;
struct MessagesOfRanks {
  MessageSizes sent;
  MessageSizes received;
};

// Of one iteration.
inline MessagesOfRanks messages_of_ranks(const CallListMotif& motif, int ranks) {
  MessagesOfRanks all;
  for (int rank = 0; rank < ranks; ++rank) {
    const calls::CallList list = motif.calls_of(rank, ranks);
    std::vector<int> remaining_passes(list.calls().size());
    PersistentMessages persistent(list);
    const auto add = [&]<class C>(const C& call) {
      if constexpr (calls::Sends<C>) {
        if (call.out.to >= 0)
          all.sent[{rank, call.out.to, call.out.tag}].push_back(call.out.count * calls::size_of(call.type));
      }
      if constexpr (calls::Receives<C>) {
        if (call.in.from >= 0)
          all.received[{call.in.from, rank, call.in.tag}].push_back(call.in.count * calls::size_of(call.type));
      }
    };
    calls::for_each_execution(list.calls(), remaining_passes, [&](const calls::Call& call, std::size_t) {
      std::visit([&](const auto& one) { persistent.for_each_message(one, add); }, call);
    });
  }
  return all;
}

}  // namespace stressbench::test
