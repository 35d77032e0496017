#include "motifs/captured/iteration_gaps.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "calls/call_list_executor.hpp"
#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "trace/excerpt.hpp"
#include "trace/program.hpp"

namespace stressbench::captured {
namespace {

using calls::Call;

// Assigns the calls of a trace to those of a call list, in order. For each call of the list, `positions` has the place
// in the excerpt of its call, or one of IterationGaps' marks.
class Matching {
 public:
  Matching(const trace::RankRecord& record, const trace::Excerpt& excerpt, std::int64_t first_call)
      : record_(record), excerpt_(excerpt), first_call_(first_call) {}

  const std::vector<int>& positions() const noexcept { return positions_; }

  void add(const Call& call) {
    if (std::holds_alternative<calls::Compute>(call)) return;
    if (std::holds_alternative<calls::TestAll>(call)) {
      tested_complete_ = recorded_function() == mpi_function(call);
      if (!tested_complete_) return positions_.push_back(IterationGaps::during_next);
    } else if (std::holds_alternative<calls::WaitAllUnlessTested>(call) && tested_complete_) {
      return positions_.push_back(IterationGaps::none);
    }
    if (recorded_function() != mpi_function(call)) {
      throw UserMistake("rank {}, call {}: the trace has {}, the motif calls {}", record_.rank,
                        first_call_ + static_cast<std::int64_t>(next_), recorded_function(), mpi_function(call));
    }
    positions_.push_back(static_cast<int>(next_++));
  }

 private:
  std::string_view recorded_function() const {
    if (next_ == excerpt_.calls().size()) return {};
    return record_.calls[static_cast<std::size_t>(excerpt_.calls()[next_])].op;
  }

  const trace::RankRecord& record_;
  const trace::Excerpt& excerpt_;
  std::int64_t first_call_;
  std::size_t next_ = 0;  // in the excerpt
  bool tested_complete_ = false;
  std::vector<int> positions_;
};

// The calls of the trace for `iterations` executions of the list, one after another.
Matching matched(const calls::CallList& list, const trace::RankRecord& record, const trace::Excerpt& excerpt,
                 std::int64_t first_call, std::int64_t iterations) {
  Matching matching(record, excerpt, first_call);
  for (std::int64_t k = 0; k < iterations; ++k) {
    std::vector<int> remaining_passes(list.calls().size());
    calls::for_each_execution(list.calls(), remaining_passes,
                              [&](const Call& call, std::size_t) { matching.add(call); });
  }
  return matching;
}

// What the program computed before its first call belongs together with what it computed after its last.
std::int64_t recorded_time_ns(const trace::RankRecord& record, std::size_t call) {
  return record.gap_times_ns[call] + (call == 0 ? trace::scaled_ns(record.tail_s, 1.0) : 0);
}

std::vector<std::int64_t> times_of_iterations(const calls::CallList& list, const trace::RankRecord& record,
                                              std::int64_t calls) {
  if (calls == 0) return {};
  const std::int64_t iterations = std::ssize(record.gap_times_ns) / calls;
  if (iterations == 0) {
    throw UserMistake(
        "rank {}: the trace has the times before {} calls in order, and an iteration {} calls; "
        "`stressbench capture --gap-times` keeps such times",
        record.rank, record.gap_times_ns.size(), calls);
  }
  const trace::Excerpt excerpt(record, 0, iterations * calls);
  const Matching matching = matched(list, record, excerpt, 0, iterations);
  std::vector<std::int64_t> times_ns;
  for (const int position : matching.positions()) {
    times_ns.push_back(position >= 0 ? recorded_time_ns(record, static_cast<std::size_t>(position))
                       : position == IterationGaps::during_next ? calls::ComputeTimes::during_next
                                                                : 0);
  }
  return times_ns;
}

// The times before `after` where it follows on `before`; before the first call of the sequence comes its last.
std::vector<std::int64_t> times_between(const trace::RankRecord& record, int before, int after) {
  trace::Program program(record.rules, record.calls.size(), record.sequence_calls);
  std::vector<std::int64_t> times_ns;
  int previous = program.last_call();
  std::size_t position = 0;
  if (record.gap_times_ns.empty()) return times_ns;
  program.walk([&](int call) {
    if (previous == before && call == after) times_ns.push_back(recorded_time_ns(record, position));
    previous = call;
    return ++position < record.gap_times_ns.size();
  });
  return times_ns;
}

}  // namespace

double IterationGaps::mean_s() const {
  double sum = 0;
  for (const int index : indices) {
    if (index < 0) continue;
    const trace::Gap& gap = gaps[static_cast<std::size_t>(index)];
    sum += gap.sum_s / static_cast<double>(gap.times);
  }
  return sum;
}

IterationGaps gaps_of(const calls::CallList& list, const trace::RankRecord& record, std::int64_t first_call,
                      GapTimes times) {
  const std::int64_t calls = list.mpi_calls();
  if (calls > input_limits::max_iteration_calls) {
    throw UserMistake("rank {}: the motif makes {} calls in an iteration; at most {}", record.rank, calls,
                      input_limits::max_iteration_calls);
  }
  const std::int64_t recorded_calls = calls - list.conditional_waits();
  const trace::Excerpt excerpt(record, first_call, recorded_calls);
  IterationGaps found{excerpt.gaps(), matched(list, record, excerpt, first_call, 1).positions(), {}};
  for (int& index : found.indices) {
    if (index >= 0) index = excerpt.gap_indices()[static_cast<std::size_t>(index)];
  }
  if (times == GapTimes::sequence) found.recorded_ns = times_of_iterations(list, record, recorded_calls);
  return found;
}

IterationGaps gap_before(const trace::RankRecord& record, std::int64_t call, GapTimes times) {
  const trace::Excerpt excerpt(record, call, 1);
  IterationGaps found{excerpt.gaps(), excerpt.gap_indices(), {}};
  if (times != GapTimes::sequence) return found;
  found.recorded_ns = times_between(record, excerpt.previous_call(), excerpt.calls().front());
  if (found.recorded_ns.empty()) {
    throw UserMistake(
        "rank {}: the trace has no times in order before call {}; `stressbench capture --gap-times` keeps such times",
        record.rank, call);
  }
  return found;
}

GapSeries::GapSeries(const IterationGaps& gaps, GapTimes times, double scale, std::int64_t iterations,
                     const Draw& draws)
    : indices_(gaps.indices) {
  if (times == GapTimes::sequence) {
    for (const std::int64_t time_ns : gaps.recorded_ns)
      recorded_ns_.push_back(time_ns < 0 ? time_ns : trace::scaled_time_ns(time_ns, scale));
    varies_ = recorded_ns_.size() > indices_.size();
  } else {
    fill_cycles(gaps, times, scale, draws);
  }
  const std::size_t most = std::max<std::size_t>(max_times / std::max<std::size_t>(indices_.size(), 1), 1);
  iterations_ = varies_ ? std::min(static_cast<std::size_t>(iterations), most) : 1;
}

void GapSeries::fill_cycles(const IterationGaps& gaps, GapTimes times, double scale, const Draw& draws) {
  Draw position = draws;
  for (const trace::Gap& gap : gaps.gaps) {
    cycles_.push_back({trace::times_of(gap, times, scale, position)});
    position.execution += trace::draws_per_gap;
    varies_ = varies_ || cycles_.back().times_ns.size() > 1;
  }
  for (const int index : indices_) {
    if (index >= 0) ++cycles_[static_cast<std::size_t>(index)].uses;
  }
}

std::int64_t GapSeries::recorded_iterations() const {
  if (recorded_ns_.empty()) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(recorded_ns_.size() / indices_.size());
}

void GapSeries::use_recorded_iterations(std::int64_t count) {
  recorded_ns_.resize(std::min(recorded_ns_.size(), static_cast<std::size_t>(count) * indices_.size()));
}

void GapSeries::fill_recorded(std::uint64_t execution, std::vector<std::int64_t>& times_ns) const {
  times_ns.clear();
  const std::size_t calls = indices_.size();
  const std::size_t iterations = recorded_ns_.size() / calls;
  const std::size_t first = execution % iterations;
  for (std::size_t k = 0; k < iterations_; ++k) {
    const auto begin = recorded_ns_.begin() + static_cast<std::ptrdiff_t>((first + k) % iterations * calls);
    times_ns.insert(times_ns.end(), begin, begin + static_cast<std::ptrdiff_t>(calls));
  }
}

void GapSeries::fill(std::uint64_t execution, std::vector<std::int64_t>& times_ns) {
  if (!recorded_ns_.empty()) return fill_recorded(execution, times_ns);
  for (Cycle& cycle : cycles_) cycle.next = execution % cycle.times_ns.size() * cycle.uses % cycle.times_ns.size();
  times_ns.clear();
  for (std::size_t i = 0; i < iterations_; ++i) {
    for (const int index : indices_) {
      if (index < 0) {
        times_ns.push_back(index == IterationGaps::during_next ? calls::ComputeTimes::during_next : 0);
        continue;
      }
      Cycle& cycle = cycles_[static_cast<std::size_t>(index)];
      times_ns.push_back(cycle.times_ns[cycle.next]);
      cycle.next = cycle.next + 1 < cycle.times_ns.size() ? cycle.next + 1 : 0;
    }
  }
}

}  // namespace stressbench::captured
