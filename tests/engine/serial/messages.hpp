// The scripts of all ranks of an application's motif, and what is between them: no MPI needed.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "motifs/application/call_list_motif.hpp"

namespace stressbench::test {

using Options = std::vector<std::pair<std::string, std::string>>;

// Messages from, to, with tag and bytes: how many in an iteration.
using Messages = std::map<std::tuple<int, int, int, std::int64_t>, std::int64_t>;

class Scripts {
 public:
  // Throws ParameterMistake where it does not fit.
  Scripts(const std::string& motif, const Options& options, int ranks)
      : motif_(MotifCatalogue::instance().make(motif)) {
    for (const auto& [option, text] : options) motif_->find(option)->parse(text);
    motif_->check(ranks);
    const auto& scripted = dynamic_cast<const CallListMotif&>(*motif_);
    for (int rank = 0; rank < ranks; ++rank) scripts_.push_back(scripted.calls_of(rank, ranks));
  }

  const calls::CallList& of(int rank) const { return scripts_[static_cast<std::size_t>(rank)]; }
  Traffic traffic() const { return motif_->traffic(static_cast<int>(scripts_.size())); }
  Traffic sum_of_scripts() const {
    return dynamic_cast<const CallListMotif&>(*motif_).CallListMotif::traffic(static_cast<int>(scripts_.size()));
  }

  Messages sent() const {
    return messages([](const calls::Step& step, int rank, Messages& all, std::int64_t times) {
      if (step.peer >= 0) all[{rank, step.peer, step.tag, step.count * size_of(step.kind)}] += times;
    });
  }
  Messages received() const {
    return messages([](const calls::Step& step, int rank, Messages& all, std::int64_t times) {
      if (step.from >= 0) all[{step.from, rank, step.from_tag, step.arriving * size_of(step.kind)}] += times;
    });
  }
  // The ranks that a rank sends to, each with the sum of bytes.
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
    for (std::size_t rank = 0; rank < scripts_.size(); ++rank) {
      std::vector<std::int64_t> times{1};
      for (const calls::Step& step : scripts_[rank].steps()) {
        using calls::Act;
        if (step.act == Act::repeat) times.push_back(times.back() * step.times);
        if (step.act == Act::end_repeat) times.pop_back();
        if (step.act == Act::start_all) {
          for (const calls::Step& message : scripts_[rank].persistent()) {
            const int place = message.request - step.request;
            if (place >= 0 && place < step.requests) add(message, static_cast<int>(rank), all, times.back());
          }
        }
        if (step.act >= Act::send && step.act <= Act::irecv) add(step, static_cast<int>(rank), all, times.back());
      }
    }
    return all;
  }

  std::unique_ptr<Motif> motif_;
  std::vector<calls::CallList> scripts_;
};

// Every message that is sent is received, by whom, with which tag and of which size.
inline void expect_all_received(const std::string& motif, const Options& options, int ranks) {
  const Scripts scripts(motif, options, ranks);
  const Messages sent = scripts.sent();
  const Messages received = scripts.received();
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

// The motif fits that many ranks, or says in a ParameterMistake why not.
inline bool fits(const std::string& motif, const Options& options, int ranks) {
  try {
    const Scripts scripts(motif, options, ranks);
    return true;
  } catch (const ParameterMistake&) {
    return false;
  }
}

}  // namespace stressbench::test
