// Rules of b_eff_io: patterns, segments, shares of time and averages (Rabenseifner and Koniges, section 5.1 and Table
// 2). No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stressbench::beff {

enum class IoType { scatter, shared, separate, segmented, segmented_collective };
enum class IoAccess { write, rewrite, read };
inline constexpr int io_types = 5;
inline constexpr std::array io_accesses{IoAccess::write, IoAccess::rewrite, IoAccess::read};

constexpr int index_of(IoType type) noexcept { return static_cast<int>(type); }
constexpr int index_of(IoAccess access) noexcept { return static_cast<int>(access); }
constexpr bool is_segmented(IoType type) noexcept { return type >= IoType::segmented; }
constexpr bool collective(IoType type) noexcept { return type != IoType::separate && type != IoType::segmented; }

// A row of Table 2. One call transfers `memory_bytes`, contiguous in memory and in pieces of `chunk_bytes` in the file.
struct IoPattern {
  int number = 0;
  IoType type = IoType::scatter;
  std::int64_t chunk_bytes = 0;
  std::int64_t memory_bytes = 0;
  int units = 0;       // of time; 0: one call
  bool fills = false;  // one call for the rest of a segment, which is less than 1 MB
};

inline constexpr std::int64_t io_kb = 1024, io_mb = 1024 * io_kb;
inline constexpr std::int64_t longest_io_chunk = 2047 * io_mb;  // MPI counts bytes in an int

// M_PART: 1/128 of a node's memory, at least 2 MB, in whole MB so that it is well-formed. The paper has one rank on a
// node; here the two buffers of each of `ranks_per_node` ranks take at most a quarter of the memory.
constexpr std::int64_t io_chunk_of_memory(std::int64_t node_memory_bytes, int ranks_per_node) noexcept {
  const std::int64_t rule = node_memory_bytes / 128, room = node_memory_bytes / 8 / ranks_per_node;
  return std::clamp(std::min(rule, room) / io_mb * io_mb, 2 * io_mb, longest_io_chunk);
}

inline constexpr int io_pattern_count = 43;

// All rows, in order of their numbers.
inline std::vector<IoPattern> io_patterns(std::int64_t mpart_bytes) {
  struct Row {
    std::int64_t chunk, memory;
    int units;
  };
  const std::int64_t mpart = mpart_bytes;
  const auto contiguous = [](std::int64_t chunk, int units) { return Row{chunk, chunk, units}; };
  const std::vector<Row> scatter{{io_mb, io_mb, 0},
                                 {mpart, mpart, 4},
                                 {io_mb, 2 * io_mb, 4},
                                 {io_mb, io_mb, 4},
                                 {32 * io_kb, io_mb, 2},
                                 {io_kb, io_mb, 2},
                                 {32 * io_kb + 8, io_mb + 256, 2},
                                 {io_kb + 8, io_mb + 8 * io_kb, 2},
                                 {io_mb + 8, io_mb + 8, 2}};
  const auto contiguous_rows = [&](int units_of_mpart) {
    return std::vector<Row>{
        contiguous(io_mb, 0), contiguous(mpart, units_of_mpart), contiguous(io_mb, 2),     contiguous(32 * io_kb, 1),
        contiguous(io_kb, 1), contiguous(32 * io_kb + 8, 1),     contiguous(io_kb + 8, 1), contiguous(io_mb + 8, 2)};
  };
  std::vector<IoPattern> patterns;
  const auto add = [&](IoType type, const std::vector<Row>& rows) {
    for (const Row& row : rows)
      patterns.push_back({static_cast<int>(patterns.size()), type, row.chunk, row.memory, row.units, false});
    if (is_segmented(type)) patterns.push_back({static_cast<int>(patterns.size()), type, mpart, mpart, 0, true});
  };
  add(IoType::scatter, scatter);
  add(IoType::shared, contiguous_rows(4));
  for (const IoType type : {IoType::separate, IoType::segmented, IoType::segmented_collective})
    add(type, contiguous_rows(2));
  return patterns;
}

// The pattern of another type that writes the same chunks as `pattern`, which is of types 1 to 4 and has a share of
// time. These types have the same rows in the same order; of type 0 it is the first row with this chunk.
inline const IoPattern& counterpart(std::span<const IoPattern> patterns, const IoPattern& pattern, IoType type) {
  const auto first_of = [&](IoType wanted) { return std::ranges::find(patterns, wanted, &IoPattern::type); };
  if (type != IoType::scatter) return first_of(type)[pattern.number - first_of(pattern.type)->number];
  return *std::ranges::find_if(patterns, [&](const IoPattern& one) {
    return one.type == type && one.units > 0 && one.chunk_bytes == pattern.chunk_bytes;
  });
}

// Distributes the remaining time over the remaining patterns by their units. Time that a pattern takes in excess is
// taken from the later ones, so that the benchmark ends on schedule.
class TimeShares {
 public:
  TimeShares() = default;
  TimeShares(double scheduled_s, int units) noexcept : scheduled_s_(scheduled_s), units_left_(units) {}
  // The share in seconds of a pattern that starts `elapsed_s` after the first one.
  double take_share(double elapsed_s, int units) noexcept {
    const double share_s = units > 0 ? std::max(0.0, scheduled_s_ - elapsed_s) * units / units_left_ : 0;
    units_left_ -= units;
    return share_s;
  }

 private:
  double scheduled_s_ = 0;
  int units_left_ = 0;
};

// Number of calls that follow `calls` calls of `time_s` in total, with `remaining_s` left: at most as many again, so
// that the clock is read rarely and the time is kept. 0 if less than half of another call fits.
inline std::int64_t next_calls(std::int64_t calls, double time_s, double remaining_s) noexcept {
  const double call_s = std::max(time_s, 1e-9) / static_cast<double>(calls);
  if (!(remaining_s >= call_s / 2)) return 0;
  return static_cast<std::int64_t>(std::clamp(remaining_s / call_s / 2, 1.0, static_cast<double>(calls)));
}

// L_SEG: the bytes that a rank writes into a segment, rounded up to whole MB.
constexpr std::int64_t segment_bytes(std::int64_t sum_bytes) noexcept {
  return (sum_bytes + io_mb - 1) / io_mb * io_mb;
}

// Mean over the five types, in which scattering counts twice.
inline double mean_of_types(std::span<const double, io_types> values) noexcept {
  double sum = values[0];
  for (const double value : values) sum += value;
  return sum / (io_types + 1);
}
inline double mean_of_accesses(double write, double rewrite, double read) noexcept {
  return 0.25 * write + 0.25 * rewrite + 0.5 * read;
}

}  // namespace stressbench::beff
