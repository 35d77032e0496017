// Limits that bound the memory for any input to some tens of MiB. They are far above what a workload needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/input_limits.hpp"

namespace stressbench::workload::limits {

inline constexpr std::size_t max_source_bytes = input_limits::max_workload_bytes;  // the workload and its includes
inline constexpr std::size_t max_expanded_bytes = std::size_t{1} << 20;            // replacements of ${...}
inline constexpr std::size_t max_value_bytes = std::size_t{64} << 10;              // of one variable
inline constexpr std::size_t max_words = 65536;                                    // of one statement
inline constexpr std::size_t max_name_bytes = 255;                                 // of a job
inline constexpr std::size_t max_jobs = 10000;
inline constexpr std::int64_t max_ranks = std::int64_t{1} << 21;  // of a launch: checks make lists of a job's ranks
inline constexpr int max_include_depth = 16;
inline constexpr int max_includes = 1000;
inline constexpr std::size_t max_loop_depth = 64;
inline constexpr std::int64_t max_executions =
    1'000'000'000'000'000;  // of a motif per repetition: the product of its loop counts

}  // namespace stressbench::workload::limits
