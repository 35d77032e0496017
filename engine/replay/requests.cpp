#include "replay/requests.hpp"

#include <algorithm>

#include "mpi/group.hpp"

namespace stressbench::replay {

Requests::Requests(const std::vector<std::size_t>& memory, std::size_t widest)
    : requests_(memory.size(), MPI_REQUEST_NULL),
      kinds_(memory.size(), RequestKind::send),
      early_(memory.size(), false),
      scratch_(widest, MPI_REQUEST_NULL),
      indices_(widest, 0) {
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    memory_.push_back(memory[slot] > 0 ? Buffer(memory[slot]) : Buffer());
    holders_.push_back(slot);
  }
  expected_.reserve(widest);
  others_.reserve(widest);
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
  std::swap(holders_[at], holders_[other]);
  expected_.erase(found);
  return true;
}

void Requests::complete(const Slots& slots, std::span<const int> done, Complete some) {
  expected_.clear();
  for (const int slot : done) {
    char& early = early_[static_cast<std::size_t>(slot)];
    if (!early) expected_.push_back(slot);
    early = false;
  }
  const int count = static_cast<int>(slots.slots.size());
  // No request completed in the program because none was active; the same holds here.
  if (done.empty()) some(count, gather(slots), indices_.data());
  while (!expected_.empty()) {
    const int completed = some(count, gather(slots), indices_.data());
    scatter(slots);
    if (completed == MPI_UNDEFINED)
      throw MachineFault("a request that completed when the program was captured does not exist in the replay");
    others_.clear();
    for (int i = 0; i < completed; ++i) {
      const int slot = slots.slots[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
      if (const auto seen = std::ranges::find(expected_, slot); seen != expected_.end()) {
        expected_.erase(seen);
      } else {
        others_.push_back(slot);
      }
    }
    for (const int slot : others_) {
      if (!swap_with_expected(slot)) early_[static_cast<std::size_t>(slot)] = true;
    }
  }
}

void Requests::release() {
  for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
    early_[slot] = false;
    MPI_Request& request = requests_[slot];
    if (request == MPI_REQUEST_NULL) continue;
    switch (kinds_[slot]) {
      case RequestKind::send:
      case RequestKind::persistent:
        mpi::must(MPI_Request_free(&request), "MPI_Request_free");
        break;
      case RequestKind::receive:
        mpi::must(MPI_Cancel(&request), "MPI_Cancel");
        [[fallthrough]];
      case RequestKind::collective:
        mpi::must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        break;
    }
  }
}

}  // namespace stressbench::replay
