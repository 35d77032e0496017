// A motif that performs a script which it writes for each rank: what remains of it is the formula of its messages.
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
  // Sums the scripts of all ranks; to be overridden where they are too many or too long for that.
  Traffic traffic(int ranks) const override;
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void perform(Recorder& recorder) final { executor_->perform(recorder, compute_times_); }
  void fill_payload(std::uint64_t pass) final { executor_->fill_payload(pass); }
  void verify(std::uint64_t pass) const final { executor_->verify(pass); }
  // What that rank does in an iteration. Only called when check(ranks) passed.
  calls::CallList calls_of(int rank, int ranks) const;

 protected:
  // Throws ParameterMistake where the pattern cannot be done on that many ranks.
  virtual void check_ranks(int ranks) const { (void)ranks; }
  virtual void write(calls::CallList& calls) const = 0;
  // Factor on the script's computation, in what is announced.
  virtual double scale() const { return 1.0; }
  // Of this rank in an iteration; from decompose on.
  std::uint64_t computations() const { return executor_->computations(); }

  calls::ComputeTimes compute_times_;

 private:
  std::unique_ptr<calls::CallListExecutor> executor_;
};

}  // namespace stressbench
