// scatter, scatterv: the root sends a block to every rank (docs/motifs/scatter.md).
#include <mpi.h>

#include "motifs/collective/rooted_blocks.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Scatter final : public RootedBlocks<Shares> {
  using Base = RootedBlocks<Shares>;
  using Base::all_, Base::own_, Base::root_, Base::in_place_;
  using Base::rank_, Base::ranks_, Base::communicator_, Base::datatype, Base::around, Base::either;

 public:
  Scatter()
      : Base(Shares::varied ? "Scatterv" : "Scatter", "bytes to each rank",
             "the root keeps its own block where it is (MPI_IN_PLACE)") {}
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(Base::bytes_of_all(ranks)),
                     "bytes of all of the root's blocks / time of the call"};
  }
  void perform(Recorder& recorder) override {
    around(recorder, [this] { call(); });
  }

 protected:
  std::vector<Part> outgoing() const override {
    std::vector<Part> parts;
    for (int r = 0; root_.here() && r < ranks_; ++r) parts.push_back({all_[r], rank_, r});
    return parts;
  }
  std::vector<Part> incoming() const override {
    if (*in_place_ && root_.here()) return {};  // the root's block stays in the send buffer
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
};

const RegisterMotif<Scatter<EvenShares>> scatter{"scatter", Family::collective, "the root sends a block to every rank"};
const RegisterMotif<Scatter<SkewedShares>> scatterv{"scatterv", Family::collective,
                                                    "the root sends a block to every rank; sizes may differ"};

}  // namespace
}  // namespace stressbench
