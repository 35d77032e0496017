// How much is read of each file that a person names (same table: docs/how-to/running.md). Far above what any needs, and
// low enough that a check of the largest takes seconds and less than 1 GiB of memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stressbench::input_limits {

inline constexpr std::int64_t workload_bytes = std::int64_t{2} << 20;     // a workload with its includes
inline constexpr std::int64_t size_table_bytes = std::int64_t{1} << 20;   // --sizes-from
inline constexpr std::int64_t level_table_bytes = std::int64_t{8} << 20;  // --levels
inline constexpr std::int64_t sidecar_bytes = std::int64_t{64} << 10;     // FILE.stressbench
inline constexpr std::int64_t simulation_bytes = std::int64_t{1} << 20;   // what $STRESSBENCH_SIMULATION names
// Trace and run files are read line by line. The tracer's own memory bounds its longest line to about this.
inline constexpr std::int64_t line_bytes = std::int64_t{32} << 20;
// As src/stressbench/formats/files/limits.py has them.
inline constexpr std::int64_t run_file_bytes = std::int64_t{4} << 30;
inline constexpr std::int64_t trace_file_bytes = std::int64_t{4} << 30;
inline constexpr std::int64_t json_values = 8'000'000;  // of one line: a value takes tens of bytes

// Numbers that a trace gives to requests, windows and files: each has memory of its own.
inline constexpr int trace_slots = 1 << 20;
// Of one rank; a replay keeps some hundred times of each.
inline constexpr std::size_t trace_gaps = 1 << 16;

}  // namespace stressbench::input_limits
