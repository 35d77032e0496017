// bcast_storm: many ranks broadcast at once, each on its own communicator (docs/motifs/bcast_storm.md).
#include <mpi.h>

#include "motifs/collective/movement.hpp"

namespace stressbench {
namespace {

class BcastStorm final : public Movement {
 public:
  BcastStorm() : Movement("Bcast", Bytes{4096}, "bytes from each root to each rank", Forms::nonblocking) {}
  void check(int ranks) const override {
    Movement::check(ranks);
    if (*roots_option_ > ranks) reject("roots", "{}, but the job has {} ranks", *roots_option_, ranks);
  }
  Traffic traffic(int ranks) const override {
    return {.collectives = roots(ranks), .collective_bytes = roots(ranks) * ranks * size().value};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(roots(ranks)) * static_cast<double>(size().value),
                     "bytes of all roots' messages / time until a rank has received them"};
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group& group) override {
    const int count = roots(ranks_);
    for (int root = 0; root < count; ++root) communicators_.push_back(group.duplicate());
    messages_ = blocks(std::vector(static_cast<std::size_t>(count), elements()));
    in_flight_.assign(static_cast<std::size_t>(count), MPI_REQUEST_NULL);
  }
  std::vector<Part> outgoing() const override {
    return rank_ < messages_.size() ? std::vector{Part{messages_[rank_], rank_, rank_}} : std::vector<Part>{};
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int root = 0; root < messages_.size(); ++root) {
      if (root != rank_) parts.push_back({messages_[root], root, root});
    }
    return parts;
  }
  void call() override {
    for (int root = 0; root < messages_.size(); ++root) {
      const auto at = static_cast<std::size_t>(root);
      mpi::check(MPI_Ibcast(messages_[root].data(), messages_.count(root), datatype(), root,
                            communicators_[at].handle(), &in_flight_[at]),
                 "MPI_Ibcast");
    }
  }
  void finish() override {
    mpi::check(MPI_Waitall(messages_.size(), in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  int roots(int ranks) const { return *roots_option_ == 0 ? ranks : static_cast<int>(*roots_option_); }

  Param<std::int64_t> roots_option_{this, "roots", 0, "number of ranks that broadcast, from rank 0 on; 0: all",
                                    AtMost{int_max}};
  std::vector<mpi::Group> communicators_;
  std::vector<MPI_Request> in_flight_;
  Blocks messages_;
};

const RegisterMotif<BcastStorm> registered{"bcast_storm", Family::collective, "many ranks broadcast at once"};

}  // namespace
}  // namespace stressbench
