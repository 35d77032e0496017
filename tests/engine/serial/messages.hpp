// The call lists of all ranks of an application motif, and the messages between the ranks, without MPI.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../persistent.hpp"
#include "motifs/application/call_list_motif.hpp"

namespace stressbench::test {

using Options = std::vector<std::pair<std::string, std::string>>;

// Number of messages per iteration, by (sender, receiver, tag, bytes).
using Messages = std::map<std::tuple<int, int, int, std::int64_t>, std::int64_t>;

class CallLists {
 public:
  // Throws ParameterMistake if the options do not fit the number of ranks.
  CallLists(const std::string& motif, const Options& options, int ranks)
      : motif_(MotifCatalogue::instance().make(motif)) {
    for (const auto& [option, text] : options) motif_->find(option)->parse(text);
    motif_->check(ranks);
    const auto& call_list_motif = dynamic_cast<const CallListMotif&>(*motif_);
    for (int rank = 0; rank < ranks; ++rank) lists_.push_back(call_list_motif.calls_of(rank, ranks));
  }

  const calls::CallList& of(int rank) const { return lists_[static_cast<std::size_t>(rank)]; }
  Traffic traffic() const { return motif_->traffic(static_cast<int>(lists_.size())); }
  Traffic sum_of_call_lists() const {
    return dynamic_cast<const CallListMotif&>(*motif_).CallListMotif::traffic(static_cast<int>(lists_.size()));
  }

  Messages sent() const {
    return messages([]<class C>(const C& call, int rank, Messages& all, std::int64_t times) {
      if constexpr (calls::Sends<C>) {
        if (call.out.to >= 0) all[{rank, call.out.to, call.out.tag, call.out.count * size_of(call.type)}] += times;
      }
    });
  }
  Messages received() const {
    return messages([]<class C>(const C& call, int rank, Messages& all, std::int64_t times) {
      if constexpr (calls::Receives<C>) {
        if (call.in.from >= 0) all[{call.in.from, rank, call.in.tag, call.in.count * size_of(call.type)}] += times;
      }
    });
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
  template <class Add>
  Messages messages(Add add) const {
    Messages all;
    for (int rank = 0; rank < static_cast<int>(lists_.size()); ++rank) {
      std::vector<std::int64_t> times{1};
      PersistentMessages persistent(of(rank));
      const auto visit = [&]<class C>(const C& call) {
        if constexpr (std::same_as<C, calls::Repeat>) times.push_back(times.back() * call.times);
        if constexpr (std::same_as<C, calls::EndRepeat>) times.pop_back();
        persistent.for_each_message(call, [&](const auto& message) { add(message, rank, all, times.back()); });
      };
      for (const calls::Call& call : of(rank).calls()) std::visit(visit, call);
    }
    return all;
  }

  std::unique_ptr<Motif> motif_;
  std::vector<calls::CallList> lists_;
};

// Checks that every message sent is received, with the same tag and size.
inline void expect_all_received(const std::string& motif, const Options& options, int ranks) {
  const CallLists lists(motif, options, ranks);
  const Messages sent = lists.sent();
  const Messages received = lists.received();
  const auto missing = [](const Messages& these, const Messages& those) {
    std::string text;
    for (const auto& [message, times] : these) {
      const auto [from, to, tag, bytes] = message;
      const auto at = those.find(message);
      if (at == those.end() || at->second != times) {
        text += " " + std::to_string(from) + "->" + std::to_string(to) + ":" + std::to_string(tag) + ":" +
                std::to_string(bytes);
      }
    }
    return text;
  };
  EXPECT_EQ(missing(sent, received), "") << "not received: " << motif << " on " << ranks;
  EXPECT_EQ(missing(received, sent), "") << "not sent: " << motif << " on " << ranks;
}

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
