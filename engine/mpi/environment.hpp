// MPI's lifetime, and what a launcher tells a process before MPI starts.
#pragma once

#include <optional>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// MPI from construction to destruction; one a process.
class Environment {
 public:
  Environment(int& argc, char**& argv);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();
};

// This process's rank as the launcher's environment tells it; none when not started by a launcher. Costs no MPI start.
std::optional<int> launched_rank() noexcept;

// Ends all ranks of `group` with this exit status. For faults only.
[[noreturn]] void abort(const Group& group, int status);

}  // namespace stressbench::mpi
