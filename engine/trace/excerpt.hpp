// A part of a rank's call sequence, with the computation before each of its calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/program.hpp"
#include "trace/record.hpp"

namespace stressbench::trace {

// Calls `first`, `first` + 1, ... (`count` of them) of the sequence of a trace that holds whole iterations of a program
// and nothing else. As the next iteration follows on the last, the first call of the trace comes after its last call:
// what was computed before the first call and after the last is one more time between the two.
class Excerpt {
 public:
  Excerpt() = default;
  // Throws UserMistake that names the rank if the sequence is shorter, its rules or the times of these calls are wrong,
  // or a time is missing.
  Excerpt(const RankRecord& record, std::int64_t first, std::int64_t count);

  // The indices in RankRecord::calls.
  const std::vector<int>& calls() const noexcept { return calls_; }
  // The call before the first of them.
  int previous_call() const noexcept { return previous_call_; }
  // For each call, the index in `gaps` of the time between it and the call before.
  const std::vector<int>& gap_indices() const noexcept { return gap_indices_; }
  // The times between these pairs of calls: those of the whole trace, also at other positions.
  const std::vector<Gap>& gaps() const noexcept { return gaps_; }

 private:
  void read(const RankRecord& record, Program& program, std::int64_t first, std::int64_t count);

  std::vector<int> calls_;
  int previous_call_ = -1;
  std::vector<int> gap_indices_;
  std::vector<Gap> gaps_;
};

}  // namespace stressbench::trace
