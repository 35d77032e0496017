// Collective MPI-IO as ROMIO does it: transfers of ranks that interleave in the file are gathered by one aggregator for
// each host, which accesses a contiguous part of the file in pieces of its buffer (Thakur, Gropp, Lusk: Data Sieving
// and Collective I/O in ROMIO, 1999). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/hints.hpp"

namespace stressbench::io {

struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const noexcept { return end - begin; }
};
ByteRange overlap(const ByteRange& a, const ByteRange& b) noexcept;  // empty if there is none

enum class Buffering { automatic, enable, disable };  // automatic: if the ranks' transfers interleave

// Hints that a simulation obeys. Others are named in notes.
struct SimulatedHints {
  Buffering write = Buffering::automatic;             // romio_cb_write
  Buffering read = Buffering::automatic;              // romio_cb_read
  int aggregators = 0;                                // cb_nodes, at most one for each host; 0: one for each host
  std::int64_t buffer_bytes = std::int64_t{1} << 24;  // cb_buffer_size
  int stripe_count = 0;                               // striping_factor; 0: all I/O nodes
  std::int64_t stripe_bytes = 0;                      // striping_unit; 0: as in the lab file
  std::vector<std::string> notes;
};
// Throws ParameterMistake for a value that a hint cannot have.
SimulatedHints simulated_hints(std::span<const Hint> hints);

// Whether a collective access of these ranges, by rank, goes through aggregators.
bool is_two_phase(Buffering buffering, std::span<const ByteRange> ranges) noexcept;

// The part of the file that each of `aggregators` accesses in each round.
class FileDomains {
 public:
  FileDomains(std::span<const ByteRange> ranges, int aggregators, std::int64_t buffer_bytes) noexcept;
  std::int64_t rounds() const noexcept { return rounds_; }
  ByteRange window(int aggregator, std::int64_t round) const noexcept;

 private:
  ByteRange all_;
  std::int64_t domain_bytes_ = 0;
  std::int64_t buffer_bytes_ = 0;
  std::int64_t rounds_ = 0;
};

// What ranks access of `window`: from its first byte on, as long as their parts together.
ByteRange accessed_in(const ByteRange& window, std::span<const ByteRange> ranges) noexcept;

}  // namespace stressbench::io
