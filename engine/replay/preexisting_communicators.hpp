// Communicators that the program had when the captured part began: made once, untimed, by those who are in them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/group.hpp"
#include "trace/record.hpp"

namespace stressbench::replay {

// One of them, as one rank's line tells it. They are sorted alike on all ranks: by members, and those with the same
// members in the order in which the program made them.
struct PreexistingCommunicator {
  int number = 0;  // in the trace's list
  int rank = 0;    // of this process in it
  std::vector<int> members;
  int twin = 0;  // how many with the same members come before it
};

// Throws UserMistake where members are not known.
std::vector<PreexistingCommunicator> preexisting_communicators_of(const trace::RankRecord& record);

// What its members' shares of one communicator sum up to: 0 where each of them knows it, once. Else almost never.
std::uint64_t membership_checksum(const PreexistingCommunicator& comm) noexcept;

class PreexistingCommunicators {
 public:
  struct Made {
    int number = 0;
    MPI_Comm handle = MPI_COMM_NULL;
  };

  PreexistingCommunicators() = default;
  PreexistingCommunicators(const PreexistingCommunicators&) = delete;
  PreexistingCommunicators& operator=(const PreexistingCommunicators&) = delete;
  ~PreexistingCommunicators();

  // Collective. Throws UserMistake on all ranks where they do not know the same communicators.
  void make(const mpi::Group& group, const std::vector<PreexistingCommunicator>& comms);
  const std::vector<Made>& made() const noexcept { return made_; }

 private:
  std::vector<Made> made_;
};

}  // namespace stressbench::replay
