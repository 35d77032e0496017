// gather, gatherv: the root gets a block from every rank (docs/motifs/gather.md).
#include <mpi.h>

#include "motifs/collective/rooted_blocks.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Gather final : public RootedBlocks<Shares> {
  using Base = RootedBlocks<Shares>;
  using Base::all_, Base::own_, Base::root_, Base::shares_, Base::in_place_;
  using Base::bytes_of, Base::elements;
  using Base::rank_, Base::ranks_, Base::communicator_, Base::datatype, Base::around, Base::either;

 public:
  Gather()
      : Base(Shares::varied ? "Gatherv" : "Gather", "bytes from each rank",
             "the root's own block is already in place (MPI_IN_PLACE)") {}
  void check(int ranks) const override {
    Base::check(ranks);
    if (*in_place_ && root_.rotates() && shares_.skewed())
      reject("in-place", "with --skew the root must stay the same, not --root rotate");
  }
  // With MPI_IN_PLACE the root's own block is already in its receive buffer and is not sent.
  Traffic traffic(int ranks) const override {
    Traffic sum = Base::traffic(ranks);
    if (*in_place_) sum.collective_bytes -= bytes_of(shares_.of(elements(), root_.fixed(), ranks));
    return sum;
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(Base::bytes_of_all(ranks)),
                     "bytes that the root has at the end / time of the call"};
  }
  void perform(Recorder& recorder) override {
    around(recorder, [this] { call(); });
  }

 protected:
  std::vector<Part> outgoing() const override {
    return {{*in_place_ && root_.here() ? all_[rank_] : own_[0], rank_, root_.now()}};
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int r = 0; root_.here() && r < ranks_; ++r) parts.push_back({all_[r], r, rank_});
    return parts;
  }
  void call() override {
    const int root = root_.take();
    const bool here = root == rank_;
    const void* from = *in_place_ && here ? MPI_IN_PLACE : own_.data();
    void* to = here ? all_.data() : nullptr;
    if constexpr (Shares::varied) {
      either(MPI_Gatherv, MPI_Igatherv, from, own_.count(0), datatype(), to, all_.counts(), all_.offsets(), datatype(),
             root, communicator_);
    } else {
      either(MPI_Gather, MPI_Igather, from, own_.count(0), datatype(), to, own_.count(0), datatype(), root,
             communicator_);
    }
  }
};

const RegisterMotif<Gather<EvenShares>> gather{"gather", Family::collective, "the root gets a block from every rank"};
const RegisterMotif<Gather<SkewedShares>> gatherv{"gatherv", Family::collective,
                                                  "the root gets a block from every rank; sizes may differ"};

}  // namespace
}  // namespace stressbench
