// Initialisation of MPI, and the rank that the launcher sets in the environment before MPI_Init.
#pragma once

#include <optional>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// Requested thread level: how many threads of a process may call MPI at the same time.
enum class Threads { single, multiple };

// Calls MPI_Init on construction and MPI_Finalize on destruction; one object per process.
class Environment {
 public:
  // Accepts a lower thread level than requested, which suffices for motifs that need less. MPI_Query_thread returns the
  // level that was provided.
  Environment(int& argc, char**& argv, Threads threads);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();
};

// This process's rank according to the launcher's environment; none without a launcher. Needs no MPI_Init.
std::optional<int> launched_rank() noexcept;

// Ends all ranks of `group` with this exit status. For faults only.
[[noreturn]] void abort(const Group& group, int status);

}  // namespace stressbench::mpi
