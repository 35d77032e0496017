// scatter, scatterv: the root has a block for every rank (docs/motifs/scatter.md).
#include <mpi.h>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/root.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Scatter final : public Movement {
 public:
  Scatter() : Movement(Shares::varied ? "Scatterv" : "Scatter", Bytes{4096}, "bytes to each rank") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    root_.check(ranks);
    if (Shares::varied) check_displacements(shares_.total(elements(), ranks));
  }
  Traffic traffic(int ranks) const override {
    return {.collectives = 1, .collective_bytes = bytes_of(shares_.total(elements(), ranks))};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(bytes_of(shares_.total(elements(), ranks))),
                     "bytes that the root has for all / time of the call"};
  }
  void stamp(std::uint64_t pass) override {
    root_.hold();
    Movement::stamp(pass);
  }

 protected:
  void lay_out(const mpi::Group&) override {
    root_.decompose(rank_, ranks_);
    own_ = blocks({shares_.of(elements(), rank_, ranks_)});
    if (root_.may_be(rank_)) all_ = blocks(shares_.all(elements(), ranks_));
  }
  std::vector<Part> outgoing() const override {
    std::vector<Part> parts;
    for (int r = 0; root_.here() && r < ranks_; ++r) parts.push_back({all_[r], rank_, r});
    return parts;
  }
  std::vector<Part> incoming() const override {
    if (*in_place_ && root_.here()) return {};  // its block stays where it is
    return {{own_[0], root_.now(), rank_}};
  }
  void call() override {
    const int root = root_.take();
    const bool here = root == rank_;
    const void* from = here ? all_.data() : nullptr;
    void* to = *in_place_ && here ? MPI_IN_PLACE : own_.data();
    if constexpr (Shares::varied) {
      either(MPI_Scatterv, MPI_Iscatterv, from, all_.counts(), all_.offsets(), datatype(), to, own_.count(0),
             datatype(), root, communicator_);
    } else {
      either(MPI_Scatter, MPI_Iscatter, from, own_.count(0), datatype(), to, own_.count(0), datatype(), root,
             communicator_);
    }
  }

 private:
  Root root_{this};
  Param<bool> in_place_{this, '\0', "in-place", "the root keeps its own block where it is (MPI_IN_PLACE)"};
  Shares shares_{this};
  Blocks own_;
  Blocks all_;
};

const RegisterMotif<Scatter<EvenShares>> scatter{"scatter", Family::collective, "the root has a block for every rank"};
const RegisterMotif<Scatter<SkewedShares>> scatterv{"scatterv", Family::collective,
                                                    "the root has a block for every rank, of any size each"};

}  // namespace
}  // namespace stressbench
