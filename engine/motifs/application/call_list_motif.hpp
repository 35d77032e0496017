// Base class of motifs that are defined by a list of MPI calls for each rank, which a derived class writes from its
// parameters.
#pragma once

#include <cstdint>
#include <memory>

#include "calls/call_list.hpp"
#include "calls/call_list_executor.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

class CallListMotif : public Motif {
 public:
  void check(int ranks) const override;
  // Sums over the call lists of all ranks. Overridden where these are too many or too long.
  Traffic traffic(int ranks) const override;
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void perform(Recorder& recorder) final { executor_->perform(recorder, compute_times_); }
  void fill_payload(std::uint64_t pass) final { executor_->fill_payload(pass); }
  void verify(std::uint64_t pass) const final { executor_->verify(pass); }
  // Returns the calls of a rank in one iteration. check(ranks) must have passed.
  calls::CallList calls_of(int rank, int ranks) const;

 protected:
  // Throws ParameterMistake if the pattern cannot run on this number of ranks.
  virtual void check_ranks(int ranks) const { (void)ranks; }
  virtual void write(calls::CallList& calls) const = 0;
  // Factor on the computation times that traffic() reports.
  virtual double scale() const { return 1.0; }
  // Number of computations of this rank in an iteration; valid after `decompose`.
  std::uint64_t computations() const { return executor_->computations(); }

  calls::ComputeTimes compute_times_;

 private:
  std::unique_ptr<calls::CallListExecutor> executor_;
};

}  // namespace stressbench
