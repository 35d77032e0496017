// How often this program's own code has asked for memory (operator new; what the MPI library does inside is its own
// affair).
#pragma once

#include <cstdint>

namespace stressbench::test {

std::int64_t allocations() noexcept;

}  // namespace stressbench::test
