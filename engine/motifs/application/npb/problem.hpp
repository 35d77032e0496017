// Problem classes and kernels of the NAS Parallel Benchmarks.
#pragma once

#include "calls/call_list.hpp"
#include "core/parameter.hpp"

namespace stressbench {

enum class ProblemClass { s, w, a, b, c, d, e, f };
template <>
struct Names<ProblemClass> {
  static constexpr std::array values{
      std::pair{std::string_view{"S"}, ProblemClass::s}, std::pair{std::string_view{"W"}, ProblemClass::w},
      std::pair{std::string_view{"A"}, ProblemClass::a}, std::pair{std::string_view{"B"}, ProblemClass::b},
      std::pair{std::string_view{"C"}, ProblemClass::c}, std::pair{std::string_view{"D"}, ProblemClass::d},
      std::pair{std::string_view{"E"}, ProblemClass::e}, std::pair{std::string_view{"F"}, ProblemClass::f}};
};

namespace npb {

// What to execute: one iteration, or everything that the benchmark times.
enum class Extent { iteration, run };

// Throws ParameterMistake if a benchmark does not run on this number of ranks.
using Check = void (*)(ProblemClass size, int ranks);
using Write = void (*)(calls::CallList& calls, ProblemClass size, Extent extent);
// Sums over the call lists of all ranks, without writing them.
using Sum = Traffic (*)(ProblemClass size, int ranks, Extent extent);

void check_cg(ProblemClass size, int ranks);
void write_cg(calls::CallList& calls, ProblemClass size, Extent extent);
void check_ft(ProblemClass size, int ranks);
void write_ft(calls::CallList& calls, ProblemClass size, Extent extent);
void check_mg(ProblemClass size, int ranks);
void write_mg(calls::CallList& calls, ProblemClass size, Extent extent);
void check_lu(ProblemClass size, int ranks);
void write_lu(calls::CallList& calls, ProblemClass size, Extent extent);
void check_bt(ProblemClass size, int ranks);
void write_bt(calls::CallList& calls, ProblemClass size, Extent extent);
Traffic traffic_bt(ProblemClass size, int ranks, Extent extent);
void check_sp(ProblemClass size, int ranks);
void write_sp(calls::CallList& calls, ProblemClass size, Extent extent);
Traffic traffic_sp(ProblemClass size, int ranks, Extent extent);
void check_is(ProblemClass size, int ranks);
void write_is(calls::CallList& calls, ProblemClass size, Extent extent);

// The row for a problem class in a table with one row per class.
template <class Rows>
const auto& row_of(const Rows& rows, ProblemClass size) noexcept {
  return rows[static_cast<std::size_t>(size)];
}

// Throws ParameterMistake unless the number of ranks is a power of two.
void check_power_of_two(const char* benchmark, int ranks);

}  // namespace npb
}  // namespace stressbench
