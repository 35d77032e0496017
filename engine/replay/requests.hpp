// Requests by their slots in the trace, and the buffers of pending receives.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/buffer.hpp"

namespace stressbench::replay {

enum class RequestKind : std::uint8_t { send, receive, cancelled_receive, collective, persistent };

// Slots of the requests that a call uses; -1 for MPI_REQUEST_NULL. The span must outlive the calls.
struct Slots {
  std::span<const int> slots;
  bool consecutive = false;  // adjacent in the table, so that MPI can use it directly
};

class Requests {
 public:
  // Waits or tests for the completion of requests. Fills `indices` with those that completed and returns their number,
  // or MPI_UNDEFINED if none is active.
  using CompletionCall = int (*)(int count, MPI_Request* requests, int* indices);

  Requests() = default;
  // `buffer_bytes[slot]` is the buffer size of receives in that slot, in bytes, and `max_requests_per_call` the largest
  // number of requests in one call.
  Requests(const std::vector<std::size_t>& buffer_bytes, std::size_t max_requests_per_call);

  // Where a call stores the request that it creates. A request that is still in the slot was completed by a call that
  // is not in the trace. It is kept for `release`, since a receive would write to freed memory later.
  MPI_Request* new_handle(int slot, RequestKind kind) {
    const auto at = static_cast<std::size_t>(slot);
    if (requests_[at] != MPI_REQUEST_NULL) [[unlikely]]
      displaced_.emplace_back(requests_[at], kinds_[at]);
    kinds_[at] = kind;
    completed_early_[at] = false;
    return &requests_[at];
  }
  // For a call that is left out: marks its slot as complete.
  void skip(int slot) noexcept {
    completed_early_[static_cast<std::size_t>(slot)] = true;
    requests_[static_cast<std::size_t>(slot)] = MPI_REQUEST_NULL;
  }
  std::byte* buffer(int slot) const noexcept {
    return buffers_[buffer_of_slot_[static_cast<std::size_t>(slot)]].data();
  }

  // Calls `call(count, requests)` on the requests in these slots, and stores the changed handles.
  template <class Call>
  int call_on(const Slots& slots, Call call) {
    MPI_Request* const requests = gather(slots);
    const int code = call(static_cast<int>(slots.slots.size()), requests);
    scatter(slots);
    return code;
  }
  // For calls that complete all their requests: none of these counts as completed early afterwards.
  void clear_early(const Slots& slots) noexcept {
    for (const int slot : slots.slots) {
      if (slot >= 0) completed_early_[static_cast<std::size_t>(slot)] = false;
    }
  }

  // For MPI_Cancel: `release` must not cancel these receives once more.
  void mark_cancelled(const Slots& slots) noexcept {
    for (const int slot : slots.slots) {
      if (slot < 0) continue;
      RequestKind& kind = kinds_[static_cast<std::size_t>(slot)];
      if (kind == RequestKind::receive) kind = RequestKind::cancelled_receive;
    }
  }

  // Replays a call such as MPI_Waitany, for which `completed` completed in the captured program. In the replay another
  // request may complete first. The two then swap their slots and buffers, so that the rest of the sequence refers to
  // the requests that are still pending, and the replay tolerates reordering as the program did. A persistent request
  // must keep its slot, since it was started as often as its partner. It is marked as early, the call is repeated until
  // all of `completed` have completed, and the later call that completed it in the program is left out.
  void complete(const Slots& slots, std::span<const int> completed, CompletionCall wait_or_test);

  // Whether there is a request in the slot.
  bool has(int slot) const noexcept { return requests_[static_cast<std::size_t>(slot)] != MPI_REQUEST_NULL; }
  // `release` leaves a persistent request in this slot, with which the next repetition begins.
  void keep(int slot) noexcept { kept_[static_cast<std::size_t>(slot)] = true; }
  // Completes or frees the requests that are still pending.
  void release();
  // Frees what `release` leaves. Must be called before a table with such requests is destroyed or assigned to.
  void free_kept();

 private:
  MPI_Request* gather(const Slots& slots) noexcept;
  void scatter(const Slots& slots) noexcept;
  bool swap_with_expected(int slot) noexcept;

  std::vector<MPI_Request> requests_;
  std::vector<RequestKind> kinds_;
  std::vector<std::pair<MPI_Request, RequestKind>> displaced_;
  std::vector<char> completed_early_;  // completed earlier than in the program
  std::vector<char> kept_;
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> buffer_of_slot_;  // slot -> index in buffers_
  std::vector<MPI_Request> scratch_;
  std::vector<int> indices_;
  std::vector<int> expected_;           // completed in the program, but not yet in the replay
  std::vector<int> completed_instead_;  // completed in the replay instead
};

}  // namespace stressbench::replay
