// Whether a motif's ranks receive the messages that they send. If not, a test would wait for ever instead of failing.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <variant>
#include <vector>

#include "motifs/application/call_list_motif.hpp"

namespace stressbench::test {

// Compares numbers of messages for each pair of ranks and tag; persistent requests are left out.
inline bool all_messages_are_received(const CallListMotif& motif, int ranks) {
  std::map<std::tuple<int, int, int>, std::int64_t> in_flight;  // by sender, receiver and tag
  for (int rank = 0; rank < ranks; ++rank) {
    const calls::CallList list = motif.calls_of(rank, ranks);
    std::vector<int> remaining_passes(list.calls().size());
    const auto count = [&]<class C>(const C& call) {
      if constexpr (calls::Sends<C>) {
        if (call.out.to >= 0) ++in_flight[{rank, call.out.to, call.out.tag}];
      }
      if constexpr (calls::Receives<C>) {
        if (call.in.from >= 0) --in_flight[{call.in.from, rank, call.in.tag}];
      }
    };
    calls::for_each_execution(list.calls(), remaining_passes,
                              [&](const calls::Call& call, std::size_t) { std::visit(count, call); });
  }
  return std::ranges::all_of(in_flight, [](const auto& messages) { return messages.second == 0; });
}

}  // namespace stressbench::test
