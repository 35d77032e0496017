// allreduce: a reduction whose result every rank gets (StressBench III-A; docs/motifs/allreduce.md).
#include <mpi.h>

#include "motifs/collective/reducing.hpp"

namespace stressbench {
namespace {

class Allreduce final : public Reducing {
 public:
  Allreduce() : Reducing("Allreduce", "elements of each rank's vector") {}
  void perform(Recorder& recorder) override {
    around(recorder, [this] { call(); });
  }

 protected:
  Result result() const override { return {.elements = count(), .ranks = ranks_}; }
  void call() override {
    either(MPI_Allreduce, MPI_Iallreduce, from(), to(), int_count(), datatype(), operation(), communicator_);
  }
};

const RegisterMotif<Allreduce> registered{"allreduce", Family::collective, "a reduction whose result every rank gets",
                                          "StressBench III-A"};

}  // namespace
}  // namespace stressbench
