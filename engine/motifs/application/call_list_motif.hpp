// Base class of motifs that are defined by a list of MPI calls for each rank, which a derived class writes from its
// parameters. The computation between the calls is that of the list, or that of a program from a trace.
#pragma once

#include <cstdint>
#include <memory>

#include "calls/call_list.hpp"
#include "calls/call_list_executor.hpp"
#include "core/pause.hpp"
#include "core/units.hpp"
#include "core/working_set.hpp"
#include "motifs/captured/gaps_from.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

class CallListMotif : public Motif, public ListedCalls {
 public:
  void check(int ranks) const final;
  Traffic traffic(int ranks) const final;
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void prepare(std::uint64_t execution) override;
  void perform(Recorder& recorder) final { executor_->perform(recorder, compute_times_); }
  void fill_payload(std::uint64_t pass) final { executor_->fill_payload(pass); }
  void verify(std::uint64_t pass) const final { executor_->verify(pass); }
  // Returns the calls of a rank in one iteration. check(ranks) must have passed.
  calls::CallList calls_of(int rank, int ranks) const;
  calls::CallList listed_calls(int rank, int ranks) const final { return calls_of(rank, ranks); }
  double computation_scale() const final;
  // Sums over the call lists of all ranks.
  Traffic traffic_of_call_lists(int ranks) const;

 protected:
  // Throws ParameterMistake if options cannot be combined.
  virtual void check_options() const {}
  // Throws ParameterMistake if the pattern cannot run on this number of ranks.
  virtual void check_ranks(int ranks) const { (void)ranks; }
  virtual void write(calls::CallList& calls) const = 0;
  // Traffic and computation of the call lists of all ranks. Overridden where these are too many or too long.
  virtual Traffic own_traffic(int ranks) const { return traffic_of_call_lists(ranks); }
  // Factor on the times of computation; 0 where it is left out.
  double scale() const { return *compute_ == Computation::off ? 0.0 : *scale_; }
  // Number of computations of this rank's list in an iteration; valid after `decompose`.
  std::uint64_t computations() const { return executor_->computations(); }
  const captured::GapsFrom& gaps_from() const { return gaps_from_; }

  calls::ComputeTimes compute_times_;

 private:
  captured::IterationGaps gaps_of(const trace::RankRecord& record, int ranks, GapTimes times) const;

  Param<Computation> compute_{
      this, "compute", Computation::busy,
      "the application's computation: spin, spin for that much processor time (for ranks that share cores), "
      "sleep (from 100 us on, below that spin), or none"};
  Param<double> scale_{this, "scale", 1.0, "factor on the times of the computation"};
  Param<Bytes> working_set_{this, "working-set", Bytes{0},
                            "memory of a rank that computation reads, as the application's goes through its data",
                            WorkingSet::Limit{}};
  captured::GapsFrom gaps_from_{
      this,
      "trace file of whole iterations: compute before each call for as long as the program did, instead of the "
      "motif's own computation",
      {"first-call", "position in an iteration of the trace, from 0, of the motif's first call"}};

  std::unique_ptr<calls::CallListExecutor> executor_;
  captured::GapSeries gap_series_;
};

}  // namespace stressbench
