// Reductions whose results are known beforehand, for --verify.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "core/parameter.hpp"

namespace stressbench {

enum class Reduction { sum, min, max, prod };

MPI_Op operation_of(Reduction reduction);

// What a rank puts into element k: small whole numbers that every type holds exactly.
std::int64_t contribution(Reduction reduction, std::int64_t rank, std::size_t element, std::uint64_t pass);
// Element k of what ranks 0 to ranks - 1 give; ranks > 0.
std::int64_t reduced(Reduction reduction, std::int64_t ranks, std::size_t element, std::uint64_t pass);

}  // namespace stressbench
