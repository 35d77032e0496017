// Motifs whose MPI calls follow from their parameters, on any number of ranks and without a launch: other programs can
// be given these calls (command `calls`).
#pragma once

#include "calls/call_list.hpp"

namespace stressbench {

class ListedCalls {
 public:
  virtual ~ListedCalls() = default;
  // The calls of a rank in one iteration, with the computation between them. check(ranks) must have passed. Throws
  // ParameterMistake for options with which the calls are not known in advance.
  virtual calls::CallList listed_calls(int rank, int ranks) const = 0;
  // Factor on the times of the computation. Throws ParameterMistake if they are not the list's own.
  virtual double computation_scale() const { return 1.0; }
};

}  // namespace stressbench
