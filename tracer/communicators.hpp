// The communicators of this process, with their numbers in the trace and the world ranks of their members.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "mpi_library.hpp"
#include "recording.hpp"

namespace stressbench::trace {

class Communicators {
 public:
  struct Entry {
    std::uint64_t handle = 0;
    std::int32_t number = 0;  // in the recording
    std::int32_t slot = 0;
    std::int32_t rank = 0;
    std::int32_t size = 0;
    std::int32_t* world = nullptr;  // world rank of each rank; null: equal to the rank
  };

  static constexpr std::int32_t world_number = 0;  // of MPI_COMM_WORLD

  void start(Recording& recording) noexcept;
  // Finds a communicator, and adds it if its creation was not recorded (as in a library). Null if there are too many.
  const Entry* find(MPI_Comm comm) noexcept;
  const Entry* add(MPI_Comm comm) noexcept;
  void remove(MPI_Comm comm) noexcept;
  // The first two note communicators created and freed while recording is paused. `add_created_while_paused`, called
  // when recording resumes, adds them in the order of their creation, which is the same on all of their ranks.
  void note_created_while_paused(MPI_Comm comm);
  void note_freed_while_paused(MPI_Comm comm) noexcept;
  void add_created_while_paused() noexcept;
  // World rank of a rank in a communicator, which is not added; -1 if it is of another MPI_COMM_WORLD.
  static int world_rank_in(MPI_Comm comm, int rank) noexcept;
  // World rank of a rank in the communicator; -1 if unknown.
  static int world_rank(const Entry* comm, int rank) noexcept {
    if (comm == nullptr || rank < 0 || rank >= comm->size) return -1;
    return comm->world == nullptr ? rank : comm->world[rank];
  }

 private:
  static constexpr int max_communicators = 4096;
  std::int32_t find_or_add_description(const Communicator& described) noexcept;

  Recording* recording_ = nullptr;
  Entry entries_[max_communicators];  // indexed by slot
  int end_ = 0;                       // one past the last slot that was ever used
  std::mutex mutex_;
  std::vector<MPI_Comm> created_while_paused_;
};

}  // namespace stressbench::trace
