// Communicators that existed in the program before the captured part began. Their members create them once, untimed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/group.hpp"
#include "trace/record.hpp"

namespace stressbench::replay {

// A preexisting communicator as described by one rank's record. All ranks sort them in the same way: by members, then
// in the order in which the program created them.
struct PreexistingCommunicator {
  int number = 0;  // in the trace's list
  int rank = 0;    // rank of this process in the communicator
  std::vector<int> members;
  int duplicate_index = 0;  // number of earlier communicators with the same members
};

// Throws UserMistake if the members are not known.
std::vector<PreexistingCommunicator> preexisting_communicators_of(const trace::RankRecord& record);

// A number whose sum over the members is 0 if each of them has the communicator in its record, and almost never 0
// otherwise.
std::uint64_t membership_checksum(const PreexistingCommunicator& comm) noexcept;

class PreexistingCommunicators {
 public:
  struct NumberedHandle {
    int number = 0;
    MPI_Comm handle = MPI_COMM_NULL;
  };

  PreexistingCommunicators() = default;
  PreexistingCommunicators(const PreexistingCommunicators&) = delete;
  PreexistingCommunicators& operator=(const PreexistingCommunicators&) = delete;
  ~PreexistingCommunicators();

  // Collective. Throws UserMistake on all ranks if their records do not agree on the communicators.
  void create(const mpi::Group& group, const std::vector<PreexistingCommunicator>& comms);
  const std::vector<NumberedHandle>& handles() const noexcept { return handles_; }

 private:
  std::vector<NumberedHandle> handles_;
};

}  // namespace stressbench::replay
