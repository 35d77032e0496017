// Settings from the environment (docs/how-to/capture.md). Without STRESSBENCH_TRACE_OUTPUT nothing is recorded.
#pragma once

#include "recording.hpp"

namespace stressbench::trace::settings {

const char* output() noexcept;       // STRESSBENCH_TRACE_OUTPUT; null: none
Mode mode() noexcept;                // STRESSBENCH_TRACE_MODE: profile (default) or capture
bool with_names() noexcept;          // STRESSBENCH_TRACE_NAMES=1
const char* window() noexcept;       // STRESSBENCH_TRACE_WINDOW: file with the calls to record; null: all
bool with_gap_times() noexcept;      // STRESSBENCH_TRACE_GAP_TIMES=1: the time before each call, in order
bool gaps_are_cpu_time() noexcept;   // STRESSBENCH_TRACE_CPU_TIME=1: computation is processor time, not elapsed time
bool with_working_set() noexcept;    // STRESSBENCH_TRACE_WORKING_SET=1: how much memory is used
bool begins_paused() noexcept;       // STRESSBENCH_TRACE_PAUSED=1: records from the first MPI_Pcontrol(1) on
bool traces_once() noexcept;         // STRESSBENCH_TRACE_ONCE=1: only the first MPI program that starts
const char* id() noexcept;           // STRESSBENCH_TRACE_ID: distinguishes the pools of this launch
const char* pool_folder() noexcept;  // STRESSBENCH_TRACE_POOL, default /dev/shm

}  // namespace stressbench::trace::settings
