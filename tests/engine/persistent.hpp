// The messages of the persistent requests of a call list.
#pragma once

#include <map>
#include <variant>

#include "calls/call_list.hpp"

namespace stressbench::test {

class PersistentMessages {
 public:
  explicit PersistentMessages(const calls::CallList& list) {
    for (const calls::PersistentCall& call : list.persistent()) {
      std::visit([&](const auto& message) { add(message); }, call);
    }
  }

  // To be called for every call, in order. Calls visit(message) for each persistent message that the call starts, and
  // visit(call) if the call has nothing to do with persistent messages.
  template <class C, class Visit>
  void for_each_message(const C& call, Visit visit) {
    const auto start = [&](calls::Request request) { std::visit(visit, messages_.at(request.slot)); };
    if constexpr (std::same_as<C, calls::SendInit> || std::same_as<C, calls::ReceiveInit>) {
      add(call);
    } else if constexpr (std::same_as<C, calls::Start>) {
      start(call.request);
    } else if constexpr (std::same_as<C, calls::StartAll>) {
      for (int k = 0; k < call.requests.count; ++k) start(call.requests[k]);
    } else if constexpr (!std::same_as<C, calls::FreeRequest>) {
      visit(call);
    }
  }

 private:
  void add(const calls::Isend& send) { messages_.insert_or_assign(send.request.slot, send); }
  void add(const calls::Irecv& receive) { messages_.insert_or_assign(receive.request.slot, receive); }

  std::map<int, calls::PersistentCall> messages_;  // by request slot
};

}  // namespace stressbench::test
