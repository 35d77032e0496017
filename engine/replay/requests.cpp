#include "replay/requests.hpp"

#include <algorithm>

#include "mpi/group.hpp"

namespace stressbench::replay {
namespace {

void finish(MPI_Request& request, RequestKind kind) {
  if (request == MPI_REQUEST_NULL) return;
  switch (kind) {
    case RequestKind::send:
    case RequestKind::persistent:
      mpi::check(MPI_Request_free(&request), "MPI_Request_free");
      break;
    case RequestKind::receive:
      mpi::check(MPI_Cancel(&request), "MPI_Cancel");
      [[fallthrough]];
    case RequestKind::cancelled_receive:
    case RequestKind::collective:
      mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
      break;
  }
}

}  // namespace

Requests::Requests(const std::vector<std::size_t>& buffer_bytes, std::size_t max_requests_per_call)
    : requests_(buffer_bytes.size(), MPI_REQUEST_NULL),
      kinds_(buffer_bytes.size(), RequestKind::send),
      completed_early_(buffer_bytes.size(), false),
      kept_(buffer_bytes.size(), false),
      scratch_(max_requests_per_call, MPI_REQUEST_NULL),
      indices_(max_requests_per_call, 0) {
  for (std::size_t slot = 0; slot < buffer_bytes.size(); ++slot) {
    buffers_.push_back(buffer_bytes[slot] > 0 ? Buffer(buffer_bytes[slot]) : Buffer());
    buffer_of_slot_.push_back(slot);
  }
  expected_.reserve(max_requests_per_call);
  completed_instead_.reserve(max_requests_per_call);
}

MPI_Request* Requests::gather(const Slots& slots) noexcept {
  if (slots.slots.empty()) return scratch_.data();
  if (slots.consecutive) return &requests_[static_cast<std::size_t>(slots.slots.front())];
  for (std::size_t i = 0; i < slots.slots.size(); ++i) {
    const int slot = slots.slots[i];
    scratch_[i] = slot < 0 ? MPI_REQUEST_NULL : requests_[static_cast<std::size_t>(slot)];
  }
  return scratch_.data();
}

void Requests::scatter(const Slots& slots) noexcept {
  if (slots.consecutive) return;
  for (std::size_t i = 0; i < slots.slots.size(); ++i) {
    if (slots.slots[i] >= 0) requests_[static_cast<std::size_t>(slots.slots[i])] = scratch_[i];
  }
}

bool Requests::swap_with_expected(int slot) noexcept {
  const auto at = static_cast<std::size_t>(slot);
  if (kinds_[at] == RequestKind::persistent) return false;
  const auto found = std::ranges::find_if(
      expected_, [&](int other) { return kinds_[static_cast<std::size_t>(other)] != RequestKind::persistent; });
  if (found == expected_.end()) return false;
  const auto other = static_cast<std::size_t>(*found);
  std::swap(requests_[at], requests_[other]);
  std::swap(kinds_[at], kinds_[other]);
  std::swap(buffer_of_slot_[at], buffer_of_slot_[other]);
  expected_.erase(found);
  return true;
}

void Requests::complete(const Slots& slots, std::span<const int> completed, CompletionCall wait_or_test) {
  expected_.clear();
  for (const int slot : completed) {
    char& completed_early = completed_early_[static_cast<std::size_t>(slot)];
    if (!completed_early) expected_.push_back(slot);
    completed_early = false;
  }
  const int count = static_cast<int>(slots.slots.size());
  // No request completed in the program because none was active; the same holds here.
  if (completed.empty()) wait_or_test(count, gather(slots), indices_.data());
  while (!expected_.empty()) {
    const int count_completed = wait_or_test(count, gather(slots), indices_.data());
    scatter(slots);
    if (count_completed == MPI_UNDEFINED)
      throw MachineFault("a request that completed when the program was captured does not exist in the replay");
    completed_instead_.clear();
    for (int i = 0; i < count_completed; ++i) {
      const int slot = slots.slots[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
      if (const auto seen = std::ranges::find(expected_, slot); seen != expected_.end()) {
        expected_.erase(seen);
      } else {
        completed_instead_.push_back(slot);
      }
    }
    for (const int slot : completed_instead_) {
      if (!swap_with_expected(slot)) completed_early_[static_cast<std::size_t>(slot)] = true;
    }
  }
}

void Requests::release() {
  for (auto& [request, kind] : displaced_) finish(request, kind);
  displaced_.clear();
  for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
    completed_early_[slot] = false;
    if (!kept_[slot] || kinds_[slot] != RequestKind::persistent) finish(requests_[slot], kinds_[slot]);
  }
}

void Requests::free_kept() {
  std::ranges::fill(kept_, false);
  release();
}

}  // namespace stressbench::replay
