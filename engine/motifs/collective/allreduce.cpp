// allreduce: a reduction whose result every rank gets (StressBench III-A; docs/motifs/allreduce.md).
#include <mpi.h>

#include "motifs/collective/reducing.hpp"

namespace stressbench {
namespace {

class Allreduce final : public Reducing {
 public:
  Allreduce() : Reducing("Allreduce", "elements of each rank's vector") {}
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  Result result() const override { return {.elements = count(), .ranks = ranks_}; }
  void list_call(calls::CallList& list) const override {
    list.allreduce(list.all_ranks(), listed_operation(), listed_type(), count());
  }
  void call() override {
    call_or_start(MPI_Allreduce, MPI_Iallreduce, send_buffer(), receive_buffer(), int_count(), datatype(), operation(),
                  communicator_);
  }
};

const RegisterMotif<Allreduce> registered{"allreduce", Family::collective, "a reduction whose result every rank gets",
                                          "StressBench III-A"};

}  // namespace
}  // namespace stressbench
