// scan, exscan: each rank gets the reduction over the ranks up to itself, inclusive or exclusive (docs/motifs/scan.md).
#include <mpi.h>

#include "motifs/collective/reducing.hpp"

namespace stressbench {
namespace {

class Scan final : public Reducing {
 public:
  Scan() : Reducing("Scan", "elements of each rank's vector") {}
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  Result result() const override { return {.elements = count(), .ranks = rank_ + 1}; }
  void call() override {
    call_or_start(MPI_Scan, MPI_Iscan, send_buffer(), receive_buffer(), int_count(), datatype(), operation(),
                  communicator_);
  }
};

class Exscan final : public Reducing {
 public:
  Exscan() : Reducing("Exscan", "elements of each rank's vector") {}
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  // Rank 0 has no predecessors: MPI leaves its result undefined.
  Result result() const override { return rank_ > 0 ? Result{.elements = count(), .ranks = rank_} : Result{}; }
  void call() override {
    call_or_start(MPI_Exscan, MPI_Iexscan, send_buffer(), receive_buffer(), int_count(), datatype(), operation(),
                  communicator_);
  }
};

const RegisterMotif<Scan> scan{"scan", Family::collective, "each rank gets the reduction of the ranks up to itself"};
const RegisterMotif<Exscan> exscan{"exscan", Family::collective,
                                   "each rank gets the reduction of the ranks before itself"};

}  // namespace
}  // namespace stressbench
