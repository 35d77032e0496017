// State of a thread: its recording, its requests, and receives whose sender is not known yet.
#pragma once

#include <cstdint>
#include <span>

#include "handles.hpp"
#include "mpi_library.hpp"
#include "objects.hpp"
#include "polling.hpp"
#include "recording.hpp"

namespace stressbench::trace {

class Thread {
 public:
  static constexpr int max_requests = 1 << 15;
  static constexpr int max_list_words = 1 << 15;  // words in the lists of one call
  static constexpr int max_statuses = 4096;
  static constexpr int max_unknown_senders = 1024;   // receives from any source whose sender is not known yet
  static constexpr int max_waiting_calls = 1 << 13;  // calls from the first such receive on

  // A persistent request: what calls that start it have to know of the call that created it.
  struct Persistent {
    std::uint16_t op;
    std::int16_t type;
    std::uint8_t wildcards;
    std::int32_t comm;
    std::int32_t peer;
    std::int32_t tag;
    std::int32_t unit;
    std::int32_t world;  // world rank of the peer; -1: none
    std::int32_t call;   // number of that call in the recording, if the sequence does not make it; -1: none yet
    std::int64_t bytes;
    const void* site;
  };
  struct Request {
    enum class Created : std::uint8_t { recorded, before_window, while_paused };
    std::int32_t unknown_plus_1;  // number + 1 of a receive whose sender is not known yet; 0: none
    bool is_persistent;
    Created created;
    Persistent persistent;
  };

  void start(Recording& recorded) noexcept;
  // Removes all calls from the recording. Requests keep their slots.
  void begin_window() noexcept;
  // The slot of a new persistent request. No other request has its handle; a slot that still does belongs to a request
  // that was completed while recording was paused, and is released. -2: there is no free slot.
  int add_persistent(std::uint64_t handle) noexcept;
  // Adds a call to the recording, after those that wait for a sender.
  void record(const Key& key, std::span<const std::int64_t> lists, std::int64_t gap_ns, std::int64_t time_ns) noexcept;
  // Adds a receive from any source whose sender is not known yet. Returns its number, or -1 if there are too many.
  int record_unknown_sender(const Key& key, std::int64_t gap_ns, std::int64_t time_ns) noexcept;
  void resolve(int unknown, int source, int tag) noexcept;
  int unknown_senders() const noexcept { return unknown_count_; }
  // Records all waiting calls, since no more senders will become known.
  void record_all_waiting() noexcept;

  Recording* recording = nullptr;
  ObjectCount objects[object_kinds];
  std::int64_t gap_start_ns = 0;  // end of the last call, on the clock of gaps
  Polling polling;
  Slots<max_requests> requests;
  Request request_states[max_requests];
  std::int64_t list_words[max_list_words];
  std::uint64_t waited_handles[max_requests];  // requests of the current waiting call
  std::int32_t waited_slots[max_requests];     // their slots
  MPI_Status statuses[max_statuses];
  struct Message {
    std::uint64_t handle;
    std::int32_t comm;
    std::int32_t source;
    std::int32_t tag;
    std::uint8_t wildcards;
  } matched_messages[16];
  unsigned next_message = 0;

 private:
  struct Unknown {
    Key key;
    std::uint64_t position;
    bool in_use;
  };
  struct Waiting {
    std::int32_t call;  // -1: the sender is not known yet
    std::int32_t unknown;
    std::int64_t gap_ns;
    std::int64_t time_ns;
  };
  void push(std::int32_t call, std::int32_t unknown, std::int64_t gap_ns, std::int64_t time_ns) noexcept;
  void flush() noexcept;
  void give_up_first_sender() noexcept;

  Unknown unknown_[max_unknown_senders];
  int next_unknown_ = 0;
  int unknown_count_ = 0;
  Waiting waiting_[max_waiting_calls];
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace stressbench::trace
