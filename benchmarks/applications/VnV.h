// The copy of SWFFT at vnvlabs/swfft is instrumented for a tool, VnV. Here its macros do nothing.
#pragma once
#include <vector>
#define INJECTION_EXECUTABLE(...)
#define INJECTION_SUBPACKAGE(...)
#define INJECTION_REGISTRATION(...) static_assert(true, "")
#define INJECTION_POINT(...)
#define INJECTION_INITIALIZE(...)
#define INJECTION_FINALIZE(...)
