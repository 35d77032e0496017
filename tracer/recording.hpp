// The recording of one thread's calls, in memory of fixed size without pointers, so that it can be mapped from a file
// and outlive a killed process. Nothing here calls MPI, allocates, locks or prints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grammar.hpp"
#include "key.hpp"
#include "objects.hpp"

namespace stressbench::trace {

enum class Mode : std::int32_t { profile, capture };
enum class EndState : std::int32_t { running, finalize, abort };

struct Total {
  std::uint64_t calls;
  std::uint64_t empty;
  std::uint64_t time_ns;
  std::uint64_t longest_ns;
  std::uint64_t bytes;
};

struct CallRecord {
  Key key;
  std::uint64_t first_word;  // index of its lists in Recording::words
  std::uint64_t calls;
  std::uint64_t time_ns;
  std::uint64_t shortest_ns;
  std::uint64_t longest_ns;
  std::int32_t last_gap_plus_1;  // index + 1 of the last gap after this call, which usually occurs again; 0: none
};

struct Gap {
  static constexpr int bucket_count = 72;
  std::int32_t before;
  std::int32_t after;
  std::uint64_t times;
  std::uint64_t sum_ns;
  std::uint64_t shortest_ns;
  std::uint64_t longest_ns;
  double squares;                       // sum of squares, in s^2
  std::uint32_t buckets[bucket_count];  // 0: below 64 ns; k: [64 * 2^((k-1)/2), 64 * 2^(k/2))
};

struct Peer {
  std::int64_t rank_plus_1;
  std::uint64_t messages;
  std::uint64_t bytes;
};

struct Communicator {
  static constexpr int max_runs = 64;
  struct Run {
    std::int32_t first;
    std::int32_t stride;
    std::int32_t count;
  };
  std::int32_t slot;
  std::int32_t size;
  std::int32_t rank;
  std::int32_t inter;
  std::int32_t runs;  // -1: too many runs
  Run members[max_runs];
};

struct Site {
  std::uint64_t address;
  std::uint64_t offset;
  std::int32_t module;
};

// Whether data is no longer recorded for lack of memory, and the number of calls before that.
struct Loss {
  std::uint64_t after_calls;
  std::int32_t happened;
};

struct Header {
  static constexpr std::uint64_t expected_magic = 0x3165636172544253ULL;  // "SBTrace1"
  std::uint64_t magic;
  std::uint64_t size;  // of the whole recording, which distinguishes builds
  Mode mode;
  std::int32_t with_gap_times;
  std::int32_t gaps_are_cpu_time;
  EndState end_state;
  std::int32_t rank;
  std::int32_t ranks;
  std::int32_t node;
  std::int32_t thread;
  std::int64_t began_ns;
  std::int64_t last_ns;
  std::int64_t tail_ns;          // time after the last call
  std::int64_t paused_ns;        // within the window
  std::int64_t paused_since_ns;  // within the window; 0: not paused
  std::int32_t with_working_set;
  std::int64_t working_set_bytes;  // -1: unknown
  double clock_s;
  char host[256];
  char program[256];
  char library[256];
  char started[64];

  void begin(std::int64_t now_ns) noexcept {
    began_ns = last_ns = now_ns;
    paused_ns = 0;
  }
  void pause(std::int64_t now_ns) noexcept { paused_since_ns = now_ns; }
  // The recording lasts to the end of the pause at least. Otherwise the pause would be subtracted from the time of a
  // rank that is killed in its first call after it, without being a part of that time.
  void resume(std::int64_t now_ns) noexcept {
    if (paused_since_ns == 0) return;
    paused_ns += now_ns - paused_since_ns;
    last_ns = std::max(last_ns, now_ns);
    paused_since_ns = 0;
  }
};

struct Recording {
  static constexpr int max_ops = 256;
  static constexpr int max_calls = 1 << 15;
  static constexpr int call_buckets = 1 << 16;
  static constexpr std::uint64_t max_words = 1 << 19;
  static constexpr int max_gaps = 1 << 14;
  static constexpr int gap_buckets = 1 << 15;
  static constexpr std::uint64_t max_gap_times = 1 << 18;
  static constexpr int max_peers = 1 << 16;
  static constexpr int max_communicators = 1024;
  static constexpr int max_sites = 4096;
  static constexpr int site_buckets = 8192;
  static constexpr int max_modules = 128;
  static constexpr int slices = 256;
  static constexpr int size_classes = 64;

  Header header;
  volatile std::uint32_t busy;  // not 0 in the file of a killed rank: it was killed during a change
  std::int32_t call_count;
  std::int32_t gap_count;
  std::int32_t communicator_count;
  std::int32_t site_count;
  std::int32_t module_count;
  std::uint64_t word_count;
  std::uint64_t gap_time_count;
  std::int32_t last_call;    // the call before the current gap
  std::int32_t slice_shift;  // a slice of the timeline is 2^shift ns
  Loss lost_calls;
  Loss lost_gaps;
  Loss lost_sequence;
  Loss lost_lists;
  Loss lost_sender;

  Total totals[max_ops];
  ObjectCount objects[object_kinds];     // sums over all threads, set by MPI_Finalize in the first recording
  std::uint64_t sizes[3][size_classes];  // p2p, coll, io
  std::uint64_t timeline[slices][class_count];
  Peer other_peers;
  Communicator communicators[max_communicators];
  Site sites[max_sites];
  char modules[max_modules][128];
  std::uint32_t site_table[site_buckets];
  std::uint32_t call_table[call_buckets];
  std::uint32_t gap_table[gap_buckets];
  CallRecord calls[max_calls];
  Gap gaps[max_gaps];
  Peer peers[max_peers];
  std::int64_t words[max_words];
  float gap_times_ns[max_gap_times];  // before each of the first calls of the sequence, to 24 bits
  Grammar grammar;

  void start() noexcept;
  // Removes all calls and counts. Sites and communicators keep their numbers.
  void restart() noexcept;
  std::uint64_t total_calls() const noexcept;
  // The number of a call, which is added if it is new; -1 if there is no room for it.
  std::int32_t intern(const Key& key, std::span<const std::int64_t> lists) noexcept;
  // Records a call that began `gap_ns` after the end of the previous one and took `time_ns`.
  void record(std::int32_t call, std::int64_t gap_ns, std::int64_t time_ns) noexcept;
  void count(int op, Class kind, std::int64_t begin_ns, std::int64_t time_ns, std::int64_t bytes,
             bool has_no_result) noexcept;
  void count_size(int kind, std::int64_t bytes) noexcept { ++sizes[kind][size_class(bytes)]; }
  void count_message_to(int world_rank, std::int64_t bytes) noexcept;
  void end_sequence(Loss& loss) noexcept;
  // The number of a call site, found by the return address of the call; -1 if it is new.
  std::int32_t find_site(std::uint64_t address) const noexcept;
  // Adds a call site and returns its number. Once the table is full, returns the last number for all further sites.
  std::int32_t add_site(const Site& site, const char* module) noexcept;

  static int size_class(std::int64_t bytes) noexcept;
  static int gap_bucket(std::int64_t ns) noexcept;

 private:
  bool matches(std::int32_t call, const Key& key, std::span<const std::int64_t> lists) const noexcept;
  std::int32_t predicted_call() const noexcept;
  Gap* gap_between(std::int32_t before, std::int32_t after) noexcept;
  void record_gap(std::int32_t before, std::int32_t after, std::int64_t ns) noexcept;
  void add_to_timeline(Class kind, std::int64_t begin_ns, std::int64_t time_ns) noexcept;
};

}  // namespace stressbench::trace
