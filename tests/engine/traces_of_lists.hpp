// Traces of programs that make the calls of a motif, with a time of their own before each call.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "motifs/application/call_list_motif.hpp"
#include "trace_text.hpp"

namespace stressbench::test {

// Whether the program's tests found all messages complete.
enum class ProgramsTests { failed, succeeded };

// The MPI functions that a trace of one iteration has. A test that failed is not in it, and one that succeeded stands
// in place of the wait after it.
inline std::vector<std::string> functions_of(const calls::CallList& list, ProgramsTests tests) {
  std::vector<std::string> functions;
  std::vector<int> remaining_passes(list.calls().size());
  calls::for_each_execution(list.calls(), remaining_passes, [&](const calls::Call& call, std::size_t) {
    const bool is_test = std::holds_alternative<calls::TestAll>(call);
    const bool is_wait_after_test = std::holds_alternative<calls::WaitAllUnlessTested>(call);
    if (std::holds_alternative<calls::Compute>(call)) return;
    if (is_test && tests == ProgramsTests::failed) return;
    if (is_wait_after_test && tests == ProgramsTests::succeeded) return;
    functions.emplace_back(mpi_function(call));
  });
  return functions;
}

// A gap of `times` times, all of so many nanoseconds.
inline Json gap_of(int before, int call, std::int64_t times, std::int64_t ns) {
  const double seconds = static_cast<double>(ns) * 1e-9;
  return Json::array({before, call, times, seconds * static_cast<double>(times), seconds, seconds, 0,
                      Json::array({Json::array({trace::bucket_of(seconds), times})})});
}

// A program that makes these calls in each of so many iterations, all distinct, and computes for `ns_before(position)`
// before each of them; before the first call of the trace for 1 ns, and after the last for 1 ns less than before the
// first of an iteration.
inline Part recorded(const std::vector<std::string>& functions, std::int64_t iterations,
                     const std::function<std::int64_t(int)>& ns_before) {
  Part part;
  Json one = Json::array();
  const auto count = static_cast<int>(functions.size());
  for (int k = 0; k < count; ++k) {
    part.calls.push_back({{"op", functions[static_cast<std::size_t>(k)]}, {"n", iterations}, {"site", k}});
    one.push_back({k, 1});
    if (k > 0) part.gaps.push_back(gap_of(k - 1, k, iterations, ns_before(k)));
  }
  part.gaps.push_back(gap_of(-1, 0, 1, 1));
  if (iterations > 1) part.gaps.push_back(gap_of(count - 1, 0, iterations - 1, ns_before(0)));
  part.tail_s = static_cast<double>(ns_before(0) - 1) * 1e-9;
  part.rules = Json::array({Json::array({Json::array({-1, iterations})}), one});
  part.length = iterations * count;
  return part;
}

}  // namespace stressbench::test
