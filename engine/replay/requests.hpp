// The requests that calls make, by the slots that the trace gives them, and the memory that outstanding receives write.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/buffer.hpp"

namespace stressbench::replay {

enum class RequestKind : std::uint8_t { send, receive, collective, persistent };

// Slots of the requests that a call uses; -1 for MPI_REQUEST_NULL. Refers to memory that outlives the calls.
struct Slots {
  std::span<const int> slots;
  bool consecutive = false;  // adjacent in the table, which MPI can then use directly
};

class Requests {
 public:
  // Completes requests: fills `indices` and returns their number, or MPI_UNDEFINED if none is active. Waits or only
  // tests.
  using Complete = int (*)(int count, MPI_Request* requests, int* indices);

  Requests() = default;
  // `memory[slot]` bytes are kept for receives of that slot. No call names more than `widest` requests.
  Requests(const std::vector<std::size_t>& memory, std::size_t widest);

  // Where a call stores the request that it creates.
  MPI_Request* make(int slot, RequestKind kind) noexcept {
    const auto at = static_cast<std::size_t>(slot);
    kinds_[at] = kind;
    early_[at] = false;
    return &requests_[at];
  }
  // For a call that is left out: its slot counts as complete.
  void leave_out(int slot) noexcept {
    early_[static_cast<std::size_t>(slot)] = true;
    requests_[static_cast<std::size_t>(slot)] = MPI_REQUEST_NULL;
  }
  std::byte* memory(int slot) const noexcept { return memory_[holders_[static_cast<std::size_t>(slot)]].data(); }

  // `call(count, requests)` on these slots, as MPI_Waitall, MPI_Startall, ... take them.
  template <class Call>
  int with(const Slots& slots, Call call) {
    MPI_Request* const requests = gather(slots);
    const int code = call(static_cast<int>(slots.slots.size()), requests);
    scatter(slots);
    return code;
  }
  // For calls that complete all their requests: none of these is early any more.
  void clear_early(const Slots& slots) noexcept {
    for (const int slot : slots.slots) {
      if (slot >= 0) early_[static_cast<std::size_t>(slot)] = false;
    }
  }

  // A call that completes any of its requests, where the program saw `done` complete. Which of them completes first is
  // not ours to choose. Where another one does, the two change their slots, with their memory: the requests that the
  // sequence goes on to name are then the ones that are still open, and the replay is as elastic as the program was. A
  // persistent request must keep its slot, as its partner was started as often as itself: it is noted as early, and the
  // call is repeated until what the program saw has happened; the later call that the program completed it with is
  // left out.
  void complete(const Slots& slots, std::span<const int> done, Complete some);

  // Completes or frees the requests that are still open.
  void release();

 private:
  MPI_Request* gather(const Slots& slots) noexcept;
  void scatter(const Slots& slots) noexcept;
  bool swap_with_expected(int slot) noexcept;

  std::vector<MPI_Request> requests_;
  std::vector<RequestKind> kinds_;
  std::vector<char> early_;  // completed before the program saw it
  std::vector<Buffer> memory_;
  std::vector<std::size_t> holders_;  // slot -> memory
  std::vector<MPI_Request> scratch_;
  std::vector<int> indices_;
  std::vector<int> expected_;  // what the program saw, and has not happened yet
  std::vector<int> others_;    // what has happened instead
};

}  // namespace stressbench::replay
