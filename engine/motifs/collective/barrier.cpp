// barrier: no rank continues before all have arrived (docs/motifs/barrier.md).
#include <mpi.h>

#include "motifs/collective/collective.hpp"

namespace stressbench {
namespace {

class Barrier final : public Collective {
 public:
  Barrier() : Collective("Barrier") {}
  Traffic traffic(int) const override { return {.collectives = 1}; }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group&) override {}
  void list_call(calls::CallList& list) const override { list.barrier(list.all_ranks()); }
  void call() override { call_or_start(MPI_Barrier, MPI_Ibarrier, communicator_); }
};

const RegisterMotif<Barrier> registered{"barrier", Family::collective, "no rank continues before all have arrived"};

}  // namespace
}  // namespace stressbench
