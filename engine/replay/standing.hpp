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
struct StandingComm {
  int number = 0;  // in the trace's list
  int rank = 0;    // of this process in it
  std::vector<int> members;
  int twin = 0;  // how many with the same members come before it
};

// Throws UserMistake where members are not known.
std::vector<StandingComm> standing_of(const trace::RankRecord& record);

// What its members' shares of one communicator sum up to: 0 where each of them knows it, once. Else almost never.
std::uint64_t share_of(const StandingComm& comm) noexcept;

class Standing {
 public:
  struct Made {
    int number = 0;
    MPI_Comm handle = MPI_COMM_NULL;
  };

  Standing() = default;
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
  ~Standing();

  // Collective. Throws UserMistake on all ranks where they do not know the same communicators.
  void make(const mpi::Group& group, const std::vector<StandingComm>& comms);
  const std::vector<Made>& made() const noexcept { return made_; }

 private:
  std::vector<Made> made_;
};

}  // namespace stressbench::replay
