// Schedules of messages and computation in the GOAL format of LogGOPSim (Hoefler, Siebert and Lumsdaine 2009).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stressbench::packet {

enum class Kind : std::uint8_t { send, receive, compute };

struct Operation {
  Kind kind = Kind::compute;
  bool is_mark = false;  // its label begins with "mark": the time when it completes is an output
  int partner = -1;      // rank of the job, of a message
  std::int64_t tag = 0;
  std::int64_t amount = 0;  // bytes of a message, nanoseconds of computation
  std::uint32_t dependencies = 0;
  std::vector<std::uint32_t> after_completion;  // operations that require this one
  std::vector<std::uint32_t> after_start;       // operations that require only its start
  std::string label;

  // Such as "l5: receive 8 bytes from rank 2, tag 7".
  std::string text() const;
};

using RankSchedule = std::vector<Operation>;

// The schedules of all ranks of a file. Throws UserMistake with file, line and what is accepted.
std::vector<RankSchedule> read_goal(const std::string& path);

}  // namespace stressbench::packet
