// MPI handles as words, and tables from handles to small numbers, for objects that are rarely created and often looked
// up.
#pragma once

#include <cstdint>
#include <type_traits>

namespace stressbench::trace {

template <class Handle>
std::uint64_t word_of(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uint64_t>(handle);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(handle));
  }
}

inline std::uint64_t scatter(std::uint64_t word) noexcept {
  word *= 0x9E3779B97F4A7C15ULL;
  return word ^ (word >> 29U);
}

// Slots for objects with handles. `add` takes the lowest free slot. Several slots may have the same handle (MPICH
// returns the same request for all small sends that complete immediately); `find` returns the oldest of them.
template <int max_entries>
class Slots {
 public:
  static constexpr int absent = -2;

  int add(std::uint64_t handle) noexcept {
    const int slot = lowest_free();
    if (slot < 0) return absent;
    taken_[slot / 64] |= bit(slot);
    entries_[slot] = {handle, -1};
    std::int32_t* place = &buckets_[scatter(handle) % max_entries];
    while (*place > 0) place = &entries_[*place - 1].next_plus_1;
    *place = slot + 1;
    entries_[slot].next_plus_1 = 0;
    return slot;
  }
  int find(std::uint64_t handle) const noexcept {
    for (std::int32_t at = buckets_[scatter(handle) % max_entries]; at > 0; at = entries_[at - 1].next_plus_1) {
      if (entries_[at - 1].handle == handle) return at - 1;
    }
    return absent;
  }
  void release(int slot) noexcept {
    unlink(slot);
    taken_[slot / 64] &= ~bit(slot);
    if (slot / 64 < hint_) hint_ = slot / 64;
  }
  // Hides the slot from `find` without releasing it, for lists that contain a handle twice.
  void hide(int slot) noexcept { unlink(slot); }
  void show(int slot) noexcept {
    std::int32_t* place = &buckets_[scatter(entries_[slot].handle) % max_entries];
    while (*place > 0) place = &entries_[*place - 1].next_plus_1;
    *place = slot + 1;
    entries_[slot].next_plus_1 = 0;
  }

 private:
  struct Entry {
    std::uint64_t handle;
    std::int32_t next_plus_1;
  };
  static constexpr std::uint64_t bit(int slot) noexcept {
    return std::uint64_t{1} << (static_cast<unsigned>(slot) % 64U);
  }
  int lowest_free() noexcept {
    for (; hint_ < max_entries / 64; ++hint_) {
      const std::uint64_t free = ~taken_[hint_];
      if (free != 0) return hint_ * 64 + __builtin_ctzll(free);
    }
    return -1;
  }
  void unlink(int slot) noexcept {
    std::int32_t* place = &buckets_[scatter(entries_[slot].handle) % max_entries];
    while (*place > 0 && *place != slot + 1) place = &entries_[*place - 1].next_plus_1;
    if (*place == slot + 1) *place = entries_[slot].next_plus_1;
  }

  Entry entries_[max_entries];
  std::int32_t buckets_[max_entries];
  std::uint64_t taken_[max_entries / 64];
  int hint_;
};

}  // namespace stressbench::trace
