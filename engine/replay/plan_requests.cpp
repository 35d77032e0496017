// Planning of requests and buffered sends.

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t max_attached_bytes = 64 << 20;
constexpr int unrecorded_request = -2;  // slot of a request whose creation was not captured (docs/trace-format.md)

}  // namespace

void ReplayPlan::plan_completion(const trace::Call& call, Instruction& i) {
  std::vector<int> sorted = call.requests;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const int slot = sorted[k];
    if (slot == unrecorded_request)
      throw UserMistake("names a request that was made by a call which is not in the trace");
    if (slot < unrecorded_request) throw UserMistake("names slot {}", slot);
    if (slot >= 0 && k > 0 && sorted[k - 1] == slot) throw UserMistake("names slot {} twice", slot);
  }
  for (const int slot : call.done) {
    if (slot < 0 || !std::ranges::binary_search(sorted, slot))
      throw UserMistake("slot {} completed, but is not among its requests", slot);
  }
  const bool takes_one =
      call.op == "Wait" || call.op == "Test" || call.op == "Start" || call.op == "Request_free" || call.op == "Cancel";
  if (takes_one && call.requests.size() != 1)
    throw UserMistake("names {} requests; it takes one", call.requests.size());
  const int* const slots = store(call.requests);
  i.requests.slots = {slots, call.requests.size()};
  i.requests.consecutive = !call.requests.empty() && call.requests.front() >= 0;
  for (std::size_t k = 1; k < call.requests.size(); ++k) {
    if (call.requests[k] != call.requests[k - 1] + 1) i.requests.consecutive = false;
  }
  i.completed = {store(call.done), call.done.size()};
  max_requests_per_call_ = std::max(max_requests_per_call_, call.requests.size());
}

void ReplayPlan::find_preexisting_requests() {
  std::map<int, int> creations;  // by slot
  for (std::size_t c = 0; c < record_.calls.size(); ++c) {
    const trace::Call& call = record_.calls[c];
    for (std::size_t k = 0; k < std::min(call.inits.size(), call.requests.size()); ++k) {
      const int slot = call.requests[k];
      const int creation = call.inits[k];
      if (slot < 0 || creation < 0) continue;
      const bool is_known = static_cast<std::size_t>(creation) < record_.calls.size();
      const trace::Call* const created = is_known ? &record_.calls[static_cast<std::size_t>(creation)] : nullptr;
      if (created == nullptr || !created->op.ends_with("_init") || created->request != slot) {
        throw UserMistake("rank {}, call {} (MPI_{}): call {} does not create a request in slot {}", record_.rank, c,
                          call.op, creation, slot);
      }
      if (creations.try_emplace(slot, creation).first->second != creation) {
        throw UserMistake("rank {}, call {} (MPI_{}): two calls created the request that slot {} had before the trace",
                          record_.rank, c, call.op, slot);
      }
    }
  }
  if (creations.empty()) return;
  std::map<int, std::int64_t> started;  // more often than completed, by slot
  for (const trace::Call& call : record_.calls) {
    const bool starts = call.op.starts_with("Start");
    if (!starts && !call.op.starts_with("Wait") && !call.op.starts_with("Test")) continue;
    for (const int slot : call.done.empty() ? call.requests : call.done)
      started[slot] = checked::sum(started[slot], starts ? call.times : -call.times);
  }
  for (const auto& [slot, creation] : creations) preexisting_requests_.push_back({creation, started[slot] <= 0});
}

// What a nonblocking call sends is free again after the call that completes it.
void ReplayPlan::assign_sent_bytes_to_completions() {
  std::vector<std::size_t> sent_bytes(request_buffer_bytes_.size(), 0);  // by slot, the most of all messages
  for (Instruction& i : instructions_) {
    if (i.request < 0) continue;
    std::size_t& most = sent_bytes[static_cast<std::size_t>(i.request)];
    most = std::max(most, i.sent_bytes);
    i.sent_bytes = 0;
  }
  for (std::size_t c = 0; c < record_.calls.size(); ++c) {
    const trace::Call& call = record_.calls[c];
    if (!call.op.starts_with("Wait") && !call.op.starts_with("Test")) continue;
    for (const int slot : call.done.empty() ? call.requests : call.done) {
      if (slot < 0) continue;
      Instruction& i = instructions_[c];
      i.sent_bytes = std::max(i.sent_bytes, sent_bytes[static_cast<std::size_t>(slot)]);
    }
  }
}

void equalise_swappable_buffers(const std::vector<trace::Call>& calls, std::vector<std::size_t>& buffer_bytes) {
  std::vector<std::size_t> parents(buffer_bytes.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  const auto set_of = [&](std::size_t slot) {
    while (parents[slot] != slot) slot = parents[slot] = parents[parents[slot]];
    return slot;
  };
  for (const trace::Call& call : calls) {
    if (call.done.empty()) continue;
    std::optional<std::size_t> set;
    for (const int slot : call.requests) {
      if (slot < 0) continue;
      const std::size_t own = set_of(static_cast<std::size_t>(slot));
      if (!set) set = own;
      parents[own] = *set;
    }
  }
  for (std::size_t slot = 0; slot < parents.size(); ++slot) {
    std::size_t& largest = buffer_bytes[set_of(slot)];
    largest = std::max(largest, buffer_bytes[slot]);
  }
  for (std::size_t slot = 0; slot < parents.size(); ++slot) buffer_bytes[slot] = buffer_bytes[set_of(slot)];
}

void ReplayPlan::compute_attached_buffer_bytes() {
  std::int64_t starts = 0;
  for (const trace::Call& call : record_.calls) {
    if (call.op.starts_with("Start"))
      starts = checked::sum(starts, checked::product(call.times, std::ssize(call.requests)));
  }
  std::int64_t bytes = 0;
  for (const trace::Call& call : record_.calls) {
    const bool once = call.op == "Bsend" || call.op == "Ibsend";
    if (!once && call.op != "Bsend_init") continue;
    const std::int64_t times = std::max<std::int64_t>(once ? call.times : starts, 1);
    const std::int64_t one = call.bytes + MPI_BSEND_OVERHEAD;
    bytes += times > max_attached_bytes / one ? max_attached_bytes : times * one;
    bytes = std::min(bytes, max_attached_bytes);
  }
  attached_buffer_bytes_ = static_cast<std::size_t>(bytes);
}

}  // namespace stressbench::replay
