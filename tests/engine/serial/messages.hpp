// The call lists of all ranks of an application motif, and the messages that the ranks send, without MPI.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "call_lists.hpp"

namespace stressbench::test {

// Number of messages per iteration, by (sender, receiver, tag, bytes).
using Messages = std::map<std::tuple<int, int, int, std::int64_t>, std::int64_t>;

class CallLists {
 public:
  // Throws ParameterMistake if the options do not fit the number of ranks.
  CallLists(const std::string& motif, const Options& options, int ranks) : motif_(configured(motif, options, ranks)) {
    for (int rank = 0; rank < ranks; ++rank) lists_.push_back(call_list_motif(*motif_).calls_of(rank, ranks));
  }

  const calls::CallList& of(int rank) const { return lists_[static_cast<std::size_t>(rank)]; }
  Traffic traffic() const { return motif_->traffic(static_cast<int>(lists_.size())); }
  Traffic sum_of_call_lists() const {
    return call_list_motif(*motif_).CallListMotif::traffic(static_cast<int>(lists_.size()));
  }

  Messages sent() const {
    Messages all;
    for (int rank = 0; rank < static_cast<int>(lists_.size()); ++rank) {
      std::vector<std::int64_t> times{1};
      PersistentMessages persistent(of(rank));
      const auto add = [&]<class C>(const C& call) {
        if constexpr (calls::Sends<C>) {
          if (call.out.to >= 0)
            all[{rank, call.out.to, call.out.tag, call.out.count * size_of(call.type)}] += times.back();
        }
      };
      const auto visit = [&]<class C>(const C& call) {
        if constexpr (std::same_as<C, calls::Repeat>) times.push_back(times.back() * call.times);
        if constexpr (std::same_as<C, calls::EndRepeat>) times.pop_back();
        persistent.for_each_message(call, add);
      };
      for (const calls::Call& call : of(rank).calls()) std::visit(visit, call);
    }
    return all;
  }
  // The ranks that `rank` sends to, each with the sum of bytes.
  std::map<int, std::int64_t> bytes_to(int rank) const {
    std::map<int, std::int64_t> bytes;
    for (const auto& [message, times] : sent()) {
      const auto& [from, to, tag, size] = message;
      if (from == rank) bytes[to] += times * size;
    }
    return bytes;
  }

 private:
  std::unique_ptr<Motif> motif_;
  std::vector<calls::CallList> lists_;
};

// Whether the motif accepts this number of ranks, or throws ParameterMistake.
inline bool fits(const std::string& motif, const Options& options, int ranks) {
  try {
    const CallLists lists(motif, options, ranks);
    return true;
  } catch (const ParameterMistake&) {
    return false;
  }
}

}  // namespace stressbench::test
