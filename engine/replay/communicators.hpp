// The communicators of the captured program, created and freed at the same points as in the program.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "trace/record.hpp"

namespace stressbench::replay {

// Arguments of a call that creates a communicator.
struct Creation {
  int new_comm = -1;  // number in the trace's list; -1: this rank is not a member
  int colour = 0;
  int key = 0;
  bool reordered = false;  // the rank order differs from that of the parent; a split reproduces it
  MPI_Group members = MPI_GROUP_NULL;
  int dimensions = 0;
  const int* dims = nullptr;  // for Cart_sub: which dimensions remain
  const int* periods = nullptr;
  int indegree = 0;
  const int* sources = nullptr;
  int outdegree = 0;
  const int* destinations = nullptr;
};

class Communicators {
 public:
  Communicators() = default;
  // Number 0 is `world`, 1 is MPI_COMM_SELF. `described` are the communicators of the trace.
  Communicators(MPI_Comm world, const std::vector<trace::Communicator>& described);

  MPI_Comm operator[](int number) const noexcept { return handles_[static_cast<std::size_t>(number)]; }
  // Where a call stores the communicator that it creates; a discarded handle if this rank is not a member.
  MPI_Comm* new_handle(int number) noexcept;
  // Throws MachineFault unless the communicator that was just created has the size and rank that the trace states: the
  // buffers of collectives are allocated by them. Its parent's ranks determine both, so this cannot be checked earlier.
  void check_created(int number) const;
  // Adds a communicator that exists when the sequence begins. The caller owns it.
  void add_preexisting(int number, MPI_Comm comm) noexcept {
    handles_[static_cast<std::size_t>(number)] = preexisting_[static_cast<std::size_t>(number)] = comm;
  }
  // Frees the communicator by `call` and returns its error code. A preexisting one is only hidden until `release`.
  template <class Call>
  int free(int number, Call call) noexcept {
    const auto at = static_cast<std::size_t>(number);
    if (!is_preexisting(at)) return call(&handles_[at]);
    handles_[at] = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  // Frees the remaining communicators in the order of creation, which is the same on all ranks of a communicator.
  void release();

 private:
  static constexpr std::size_t predefined = 2;
  bool is_preexisting(std::size_t at) const noexcept {
    return preexisting_[at] != MPI_COMM_NULL && handles_[at] == preexisting_[at];
  }

  struct Extent {
    int size = 0;
    int rank = 0;
  };

  std::vector<MPI_Comm> handles_;
  std::vector<Extent> extents_;  // as the trace states them
  std::vector<MPI_Comm> preexisting_;
  std::vector<std::uint64_t> creation_order_;
  std::uint64_t creations_ = 0;
  MPI_Comm discarded_ = MPI_COMM_NULL;
};

}  // namespace stressbench::replay
