// bcast: one rank's message to all others (docs/motifs/bcast.md).
#include <mpi.h>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/root.hpp"

namespace stressbench {
namespace {

class Bcast final : public Movement {
 public:
  Bcast() : Movement("Bcast", Bytes{4096}, "bytes from the root to each rank") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    root_.check(ranks);
  }
  Traffic traffic(int ranks) const override { return {.collectives = 1, .collective_bytes = ranks * size().value}; }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(size().value), "bytes of the message / time of the call"};
  }
  void fill_payload(std::uint64_t pass) override {
    root_.select_next();
    Movement::fill_payload(pass);
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group&) override {
    root_.decompose(rank_, ranks_);
    message_ = blocks({elements()});
  }
  std::vector<Part> outgoing() const override {
    return root_.is_this_rank() ? std::vector{Part{message_[0], rank_, rank_}} : std::vector<Part>{};
  }
  std::vector<Part> incoming() const override {
    return root_.is_this_rank() ? std::vector<Part>{}
                                : std::vector{Part{message_[0], root_.current(), root_.current()}};
  }
  void list_call(calls::CallList& list) const override {
    list.bcast(list.all_ranks(), root_.same_in_each_call(), size().value);
  }
  void call() override {
    const int root = root_.take_next();
    call_or_start(MPI_Bcast, MPI_Ibcast, message_.data(), message_.count(0), datatype(), root, communicator_);
  }

 private:
  Root root_{this};
  Blocks message_;
};

const RegisterMotif<Bcast> registered{"bcast", Family::collective, "one rank's message to all others"};

}  // namespace
}  // namespace stressbench
