// Planning of requests and buffered sends.

#include <algorithm>

#include "core/error.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t max_attached_bytes = 64 << 20;
constexpr int unrecorded_request = -2;  // slot of a request whose creation was not captured (docs/trace-format.md)

}  // namespace

void ReplayPlan::plan_completion(const trace::Call& call, Instruction& i) {
  const bool starts_unrecorded = std::ranges::any_of(call.inits, [](int init) { return init >= 0; });
  for (const int slot : call.requests) {
    if (slot == unrecorded_request || starts_unrecorded)
      throw UserMistake("names a request that was made by a call which is not in the trace");
    if (slot < unrecorded_request) throw UserMistake("names slot {}", slot);
  }
  for (const int slot : call.done) {
    if (std::ranges::find(call.requests, slot) == call.requests.end() || slot < 0)
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

// Requests that MPI_Waitany and similar calls may swap (Requests::complete) also swap their buffers, which must
// therefore have the same size.
void ReplayPlan::equalise_swappable_buffers() {
  for (bool grown = true; grown;) {
    grown = false;
    for (const trace::Call& call : record_.calls) {
      if (call.done.empty()) continue;
      std::size_t largest = 0;
      const auto each = [&](auto action) {
        for (const int slot : call.requests) {
          if (slot >= 0) action(request_buffer_bytes_[static_cast<std::size_t>(slot)]);
        }
      };
      each([&](std::size_t bytes) { largest = std::max(largest, bytes); });
      each([&](std::size_t& bytes) {
        grown |= bytes < largest;
        bytes = largest;
      });
    }
  }
}

void ReplayPlan::compute_attached_buffer_bytes() {
  std::int64_t starts = 0;
  for (const trace::Call& call : record_.calls) {
    if (call.op.starts_with("Start")) starts += call.times * static_cast<std::int64_t>(call.requests.size());
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
