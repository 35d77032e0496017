// Reductions with results known in advance, for --verify.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "core/parameter.hpp"

namespace stressbench {

enum class Reduction { sum, min, max, prod };

MPI_Op operation_of(Reduction reduction);

// The input of a rank in one element: a small whole number that every type represents exactly.
std::int64_t contribution(Reduction reduction, std::int64_t rank, std::size_t element, std::uint64_t pass);
// One element of the reduction over ranks 0 to ranks - 1; ranks > 0.
std::int64_t reduced(Reduction reduction, std::int64_t ranks, std::size_t element, std::uint64_t pass);

}  // namespace stressbench
