// Distribution of a trace file: rank 0 reads it and sends each rank its record.
#pragma once

#include <functional>
#include <string>

#include "mpi/group.hpp"
#include "trace/record.hpp"

namespace stressbench::captured {

// Collective. The record of this rank. Rank 0 holds its own line and one other line in memory. Throws UserMistake on
// the affected ranks only, so calls must be wrapped in `collectively`.
trace::RankRecord own_record(const mpi::Group& group, const std::string& path);

// Collective. If `action` throws UserMistake on some ranks, all ranks throw the mistake of the lowest such rank as a
// ParameterMistake in `option`.
void collectively(const mpi::Group& group, const std::string& option, const std::function<void()>& action);

}  // namespace stressbench::captured
