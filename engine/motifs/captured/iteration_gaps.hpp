// The computation before each MPI call of an iteration of one rank, from a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/call_list.hpp"
#include "core/random.hpp"
#include "trace/gaps.hpp"
#include "trace/record.hpp"

namespace stressbench::captured {

struct IterationGaps {
  static constexpr int none = -1;         // no computation
  static constexpr int during_next = -2;  // a test, which takes place during the computation before the next call

  std::vector<trace::Gap> gaps;  // the times between the pairs of calls that occur
  std::vector<int> indices;      // for each call, the index of its gap, or one of the above
  // With GapTimes::sequence: the times of every recorded iteration, call by call, in nanoseconds;
  // ComputeTimes::during_next for a test whose wait took place.
  std::vector<std::int64_t> recorded_ns;

  double mean_s() const;  // computation of an iteration
};

// The gaps before the calls of a call list, loops unrolled, whose first call is number `first_call` of the rank's
// sequence. In a trace, a test that found all messages complete takes the place of the wait that is left out after it.
// Throws UserMistake that names rank and call if the sequence makes other calls there or is shorter, or if the list is
// too long. With GapTimes::sequence, the trace holds iterations of this list and nothing else.
IterationGaps gaps_of(const calls::CallList& list, const trace::RankRecord& record, std::int64_t first_call,
                      GapTimes times);
// The gap before one call of the sequence. With GapTimes::sequence, `recorded_ns` holds the times before all
// equal calls that follow the same call.
IterationGaps gap_before(const trace::RankRecord& record, std::int64_t call, GapTimes times);

// The times of computation of successive iterations.
class GapSeries {
 public:
  // Maximum number of times kept for one timed region, or those of one iteration; a longer region uses them cyclically.
  static constexpr std::size_t max_times = 65'536;

  GapSeries() = default;
  // `scale` multiplies the times. `iterations` are those of a timed region.
  GapSeries(const IterationGaps& gaps, GapTimes times, double scale, std::int64_t iterations, const Draw& draws);

  // The times in nanoseconds of the iterations from `execution` on, with ComputeTimes::during_next for tests.
  void fill(std::uint64_t execution, std::vector<std::int64_t>& times_ns);
  // Whether iterations differ.
  bool varies() const noexcept { return varies_; }

  // Number of recorded iterations (unlimited for a list without calls). All ranks use the smallest common number, so
  // that times of one iteration stay aligned.
  std::int64_t recorded_iterations() const;
  void use_recorded_iterations(std::int64_t count);

 private:
  void fill_cycles(const IterationGaps& gaps, GapTimes times, double scale, const Draw& draws);
  void fill_recorded(std::uint64_t execution, std::vector<std::int64_t>& times_ns) const;

  // The times between a pair of calls, which are used in turn.
  struct Cycle {
    std::vector<std::int64_t> times_ns;
    std::size_t uses = 0;  // in an iteration
    std::size_t next = 0;
  };

  std::vector<Cycle> cycles_;
  std::vector<int> indices_;
  std::vector<std::int64_t> recorded_ns_;  // instead: as IterationGaps::recorded_ns, multiplied by the scale
  std::size_t iterations_ = 0;             // for which times are kept
  bool varies_ = false;
};

}  // namespace stressbench::captured
