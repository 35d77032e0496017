// What the environment asks for (docs/how-to/capture.md). Without STRESSBENCH_TRACE_OUTPUT the library looks at nothing.
#pragma once

#include "recording.hpp"

namespace stressbench::trace::settings {

const char* output() noexcept;       // STRESSBENCH_TRACE_OUTPUT; null: none
Mode mode() noexcept;                // STRESSBENCH_TRACE_MODE: profile (default) or capture
bool with_names() noexcept;          // STRESSBENCH_TRACE_NAMES=1
bool begins_paused() noexcept;       // STRESSBENCH_TRACE_PAUSED=1: looks from the first MPI_Pcontrol(1) on
const char* id() noexcept;           // STRESSBENCH_TRACE_ID: tells the pools of this launch from others
const char* pool_folder() noexcept;  // STRESSBENCH_TRACE_POOL, default /dev/shm

}  // namespace stressbench::trace::settings
