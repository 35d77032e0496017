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
  if (std::ranges::any_of(call.inits, [](int init) { return init >= 0; }))
    throw UserMistake("names a request that was made by a call which is not in the trace");
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
