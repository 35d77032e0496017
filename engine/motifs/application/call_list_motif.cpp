#include "motifs/application/call_list_motif.hpp"

namespace stressbench {

captured::IterationGaps CallListMotif::gaps_of(const trace::RankRecord& record, int ranks, GapTimes times) const {
  return captured::gaps_of(calls_of(record.rank, ranks), record, gaps_from_.position(), times);
}

void CallListMotif::check(int ranks) const {
  check_options();
  if (*working_set_ > Bytes{0} && !pause::computes(*compute_)) reject("working-set", "{}", WorkingSet::unread);
  check_ranks(ranks);
  calls_of(0, ranks);  // throws if a message is too long
  if (gaps_from_.times() == GapTimes::sequence && gaps_from_.position() != 0) {
    reject("first-call", "with --gaps sequence, the trace has iterations of the motif's own calls and no others");
  }
  gaps_from_.check(ranks, [&](const trace::RankRecord& record) { return gaps_of(record, ranks, gaps_from_.times()); });
}

calls::CallList CallListMotif::calls_of(int rank, int ranks) const {
  calls::CallList calls(rank, ranks);
  write(calls);
  return calls;
}

double CallListMotif::computation_scale() const {
  if (gaps_from_.were_given()) reject("gaps-from", "its computation is that of another trace");
  return scale();
}

Traffic CallListMotif::traffic_of_call_lists(int ranks) const {
  Traffic sum;
  for (int rank = 0; rank < ranks; ++rank) {
    Traffic own = calls_of(rank, ranks).traffic(scale());
    own.compute_s /= ranks;
    sum.add(own);
  }
  return sum;
}

Traffic CallListMotif::traffic(int ranks) const {
  Traffic traffic = own_traffic(ranks);
  if (gaps_from_.were_given()) {
    const auto select = [&](const trace::RankRecord& record) { return gaps_of(record, ranks, GapTimes::mean); };
    traffic.compute_s = gaps_from_.mean_s(ranks, select) * scale();
  }
  return traffic;
}

void CallListMotif::decompose(const mpi::Group& group, const Draw& draws) {
  calls::CallList calls = calls_of(group.rank(), group.size());
  compute_times_ = {};
  compute_times_.how = scale() > 0 ? *compute_ : Computation::off;
  compute_times_.scale = scale();
  if (gaps_from_.were_given()) {
    const auto select = [&](const trace::RankRecord& record) {
      return captured::gaps_of(calls, record, gaps_from_.position(), gaps_from_.times());
    };
    gap_series_ = gaps_from_.series(group, select, scale(), iterations(), draws);
    if (compute_times_.how != Computation::off) gap_series_.fill(0, compute_times_.gaps_ns);
    // Without times from the trace, the computation of the list is left out as well.
    if (compute_times_.gaps_ns.empty()) compute_times_.how = Computation::off;
  }
  const Bytes working_set = pause::computes(compute_times_.how) ? *working_set_ : Bytes{0};
  executor_ = std::make_unique<calls::CallListExecutor>(std::move(calls), group, working_set);
  if (*compute_ == Computation::sleep) pause::minimise_timer_slack();
}

void CallListMotif::prepare(std::uint64_t execution) {
  compute_times_.next = 0;
  compute_times_.next_gap = 0;
  if (!compute_times_.gaps_ns.empty() && gap_series_.varies()) gap_series_.fill(execution, compute_times_.gaps_ns);
}

}  // namespace stressbench
