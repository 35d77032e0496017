// Reading of a trace file by one rank, which sends each other rank its record.
#pragma once

#include <functional>
#include <string>

#include "mpi/group.hpp"
#include "trace/record.hpp"

namespace stressbench::replay {

// Collective. The line of this rank, from rank 0, which holds one line at a time. Throws UserMistake on the ranks that
// lack something only: wrap in `collectively`.
trace::RankRecord own_record(const mpi::Group& group, const std::string& path);

// Collective. If `action` throws UserMistake on some ranks, all ranks throw that of the lowest one, as a mistake in
// parameter `file`.
void collectively(const mpi::Group& group, const std::function<void()>& action);

}  // namespace stressbench::replay
