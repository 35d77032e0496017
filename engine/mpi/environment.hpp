// MPI's lifetime, and the rank that the launcher's environment gives before MPI starts.
#pragma once

#include <optional>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// How many threads of a process may call MPI at the same time.
enum class Threads { single, multiple };

// MPI from construction to destruction; one object per process.
class Environment {
 public:
  // Whether the library gives what was asked for, MPI_Query_thread tells: one that does not still runs what needs less.
  Environment(int& argc, char**& argv, Threads threads);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();
};

// This process's rank according to the launcher's environment; none without a launcher. Does not start MPI.
std::optional<int> launched_rank() noexcept;

// Ends all ranks of `group` with this exit status. For faults only.
[[noreturn]] void abort(const Group& group, int status);

}  // namespace stressbench::mpi
