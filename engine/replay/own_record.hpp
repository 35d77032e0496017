// A trace file is read by one rank; each of the others gets its own line.
#pragma once

#include <functional>
#include <string>

#include "mpi/group.hpp"
#include "trace/record.hpp"

namespace stressbench::replay {

// Collective. The line of this rank, from rank 0, which holds one line at a time. Throws UserMistake on the ranks that
// lack something only: wrap in `collectively`.
trace::RankRecord own_record(const mpi::Group& group, const std::string& path);

// Collective. Where `action` throws UserMistake on some ranks, all throw that of the lowest of them, as a mistake in
// parameter `file`.
void collectively(const mpi::Group& group, const std::function<void()>& action);

}  // namespace stressbench::replay
