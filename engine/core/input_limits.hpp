// Size limits of the files that the user names (same table: docs/how-to/running.md). Far above any real need, and low
// enough that a check of the largest file takes seconds and less than 1 GiB of memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stressbench::input_limits {

inline constexpr std::int64_t max_workload_bytes = std::int64_t{2} << 20;     // a workload with its includes
inline constexpr std::int64_t max_size_table_bytes = std::int64_t{1} << 20;   // --sizes-from
inline constexpr std::int64_t max_level_table_bytes = std::int64_t{8} << 20;  // --levels
inline constexpr std::int64_t max_sidecar_bytes = std::int64_t{64} << 10;     // FILE.stressbench
inline constexpr std::int64_t max_simulation_bytes = std::int64_t{1} << 20;   // file named by $STRESSBENCH_SIMULATION
inline constexpr std::int64_t max_platform_bytes = std::int64_t{64} << 20;    // file named by $STRESSBENCH_PLATFORM
// Trace and run files are read line by line. The tracer's memory limit bounds its longest line to about this size.
inline constexpr std::int64_t max_line_bytes = std::int64_t{32} << 20;
// Same values as src/stressbench/formats/files/limits.py.
inline constexpr std::int64_t max_run_file_bytes = std::int64_t{4} << 30;
inline constexpr std::int64_t max_trace_file_bytes = std::int64_t{4} << 30;
inline constexpr std::int64_t max_json_values = 8'000'000;  // per line; a parsed value takes tens of bytes

// Limit on the request, window and file numbers in a trace: a replay allocates memory for each number.
inline constexpr int max_trace_slots = 1 << 20;
// Limit on the gaps of one rank; a replay keeps a few hundred durations per gap.
inline constexpr std::size_t max_trace_gaps = 1 << 16;
// Limit on the times of one rank in order, which is that of the tracer.
inline constexpr std::size_t max_trace_gap_times = 1 << 18;
// Limit on a scratch file of a replay, which is written before the first round.
inline constexpr std::int64_t max_scratch_file_bytes = std::int64_t{1} << 40;
// Limit on the MPI calls of an iteration whose computation comes from a trace: a motif keeps a duration for each.
inline constexpr std::int64_t max_iteration_calls = 1'000'000;

}  // namespace stressbench::input_limits
