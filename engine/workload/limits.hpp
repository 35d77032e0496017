// Limits that bound the memory for any input to some tens of MiB. They are far above what a workload needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/input_limits.hpp"

namespace stressbench::workload::limits {

inline constexpr std::size_t source_bytes = input_limits::workload_bytes;  // the workload and its includes
inline constexpr std::size_t expanded_bytes = std::size_t{1} << 20;        // replacements of ${...}
inline constexpr std::size_t value_bytes = std::size_t{64} << 10;          // of one variable
inline constexpr std::size_t words = 65536;                                // of one statement
inline constexpr std::size_t name_bytes = 255;                             // of a job
inline constexpr std::size_t jobs = 10000;
inline constexpr int include_depth = 16;
inline constexpr int includes = 1000;
inline constexpr std::size_t loop_depth = 64;
inline constexpr std::int64_t executions =
    1'000'000'000'000'000;  // of a motif per repetition: the product of its loop counts

}  // namespace stressbench::workload::limits
