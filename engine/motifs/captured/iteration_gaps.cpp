#include "motifs/captured/iteration_gaps.hpp"

#include <algorithm>
#include <string_view>

#include "calls/call_list_executor.hpp"
#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "trace/excerpt.hpp"

namespace stressbench::captured {
namespace {

using calls::Call;

// Assigns the calls of a trace to those of a call list, in order.
class Matching {
 public:
  Matching(const trace::RankRecord& record, const trace::Excerpt& excerpt, std::int64_t first_call)
      : record_(record), excerpt_(excerpt), first_call_(first_call) {}

  void add(const Call& call) {
    if (std::holds_alternative<calls::Compute>(call)) return;
    if (std::holds_alternative<calls::TestAll>(call)) {
      tested_complete_ = recorded_function() == mpi_function(call);
      if (!tested_complete_) return indices_.push_back(IterationGaps::during_next);
    } else if (std::holds_alternative<calls::WaitAllUnlessTested>(call) && tested_complete_) {
      return indices_.push_back(IterationGaps::none);
    }
    if (recorded_function() != mpi_function(call)) {
      throw UserMistake("rank {}, call {}: the trace has {}, the motif calls {}", record_.rank,
                        first_call_ + static_cast<std::int64_t>(next_), recorded_function(), mpi_function(call));
    }
    indices_.push_back(excerpt_.gap_indices()[next_++]);
  }

  std::vector<int> take_indices() { return std::move(indices_); }

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
  std::vector<int> indices_;
};

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

IterationGaps gaps_of(const calls::CallList& list, const trace::RankRecord& record, std::int64_t first_call) {
  const std::int64_t calls = list.mpi_calls();
  if (calls > input_limits::max_iteration_calls) {
    throw UserMistake("rank {}: the motif makes {} calls in an iteration; at most {}", record.rank, calls,
                      input_limits::max_iteration_calls);
  }
  const trace::Excerpt excerpt(record, first_call, calls - list.conditional_waits());
  Matching matching(record, excerpt, first_call);
  std::vector<int> remaining_passes(list.calls().size());
  calls::for_each_execution(list.calls(), remaining_passes, [&](const Call& call, std::size_t) { matching.add(call); });
  return {excerpt.gaps(), matching.take_indices()};
}

IterationGaps gap_before(const trace::RankRecord& record, std::int64_t call) {
  const trace::Excerpt excerpt(record, call, 1);
  return {excerpt.gaps(), excerpt.gap_indices()};
}

GapSeries::GapSeries(const IterationGaps& gaps, GapTimes times, double scale, std::int64_t iterations,
                     const Draw& draws)
    : indices_(gaps.indices) {
  Draw position = draws;
  for (const trace::Gap& gap : gaps.gaps) {
    cycles_.push_back({trace::times_of(gap, times, scale, position)});
    position.execution += trace::draws_per_gap;
    varies_ = varies_ || cycles_.back().times_ns.size() > 1;
  }
  for (const int index : indices_) {
    if (index >= 0) ++cycles_[static_cast<std::size_t>(index)].uses;
  }
  const std::size_t most = std::max<std::size_t>(max_times / std::max<std::size_t>(indices_.size(), 1), 1);
  iterations_ = varies_ ? std::min(static_cast<std::size_t>(iterations), most) : 1;
}

void GapSeries::fill(std::uint64_t execution, std::vector<std::int64_t>& times_ns) {
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
