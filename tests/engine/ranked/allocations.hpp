// Number of allocations by operator new in this program; those inside the MPI library are not counted.
#pragma once

#include <cstdint>

namespace stressbench::test {

std::int64_t allocations() noexcept;

}  // namespace stressbench::test
