// allgather, allgatherv: every rank gets every rank's block (docs/motifs/allgather.md).
#include <mpi.h>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Allgather final : public Movement {
 public:
  Allgather() : Movement(Shares::varied ? "Allgatherv" : "Allgather", Bytes{4096}, "bytes from each rank") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    if (Shares::varied) check_displacements(shares_.total(elements(), ranks));
  }
  Traffic traffic(int ranks) const override {
    return {.collectives = 1, .collective_bytes = bytes_of(shares_.total(elements(), ranks))};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(bytes_of(shares_.total(elements(), ranks))),
                     "bytes that each rank has at the end / time of the call"};
  }
  void perform(Recorder& recorder) override {
    around(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group&) override {
    all_ = blocks(shares_.all(elements(), ranks_));
    if (!*in_place_) own_ = blocks({all_.count(rank_)});
  }
  std::vector<Part> outgoing() const override { return {{*in_place_ ? all_[rank_] : own_[0], rank_, rank_}}; }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int r = 0; r < ranks_; ++r) parts.push_back({all_[r], r, r});
    return parts;
  }
  void call() override {
    const void* from = *in_place_ ? MPI_IN_PLACE : own_.data();
    const int count = all_.count(rank_);
    if constexpr (Shares::varied) {
      either(MPI_Allgatherv, MPI_Iallgatherv, from, count, datatype(), all_.data(), all_.counts(), all_.offsets(),
             datatype(), communicator_);
    } else {
      either(MPI_Allgather, MPI_Iallgather, from, count, datatype(), all_.data(), count, datatype(), communicator_);
    }
  }

 private:
  Param<bool> in_place_{this, "in-place", "each rank's own block is already in place (MPI_IN_PLACE)"};
  Shares shares_{this};
  Blocks own_;
  Blocks all_;
};

const RegisterMotif<Allgather<EvenShares>> allgather{"allgather", Family::collective,
                                                     "every rank gets every rank's block"};
const RegisterMotif<Allgather<SkewedShares>> allgatherv{"allgatherv", Family::collective,
                                                        "every rank gets every rank's block; sizes may differ"};

}  // namespace
}  // namespace stressbench
