// reduce: a reduction whose result the root gets (docs/motifs/reduce.md).
#include <mpi.h>

#include "motifs/collective/reducing.hpp"
#include "motifs/collective/root.hpp"

namespace stressbench {
namespace {

class Reduce final : public Reducing {
 public:
  Reduce() : Reducing("Reduce", "elements of each rank's vector") {}
  void check(int ranks) const override {
    Reducing::check(ranks);
    root_.check(ranks);
  }
  void fill_payload(std::uint64_t pass) override {
    root_.select_next();
    Reducing::fill_payload(pass);
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group& group) override {
    root_.decompose(rank_, ranks_);
    Reducing::lay_out(group);
  }
  Result result() const override {
    return root_.is_this_rank() ? Result{.elements = count(), .ranks = ranks_} : Result{};
  }
  bool uses_in_place() const override { return in_place() && root_.is_this_rank(); }
  bool always_uses_in_place() const override { return uses_in_place() && !root_.rotates(); }
  void list_call(calls::CallList& list) const override {
    list.reduce(list.all_ranks(), root_.same_in_each_call(), listed_operation(), listed_type(), count());
  }
  void call() override {
    const int root = root_.take_next();
    call_or_start(MPI_Reduce, MPI_Ireduce, send_buffer(), receive_buffer(), int_count(), datatype(), operation(), root,
                  communicator_);
  }

 private:
  Root root_{this};
};

const RegisterMotif<Reduce> registered{"reduce", Family::collective, "a reduction whose result the root gets"};

}  // namespace
}  // namespace stressbench
