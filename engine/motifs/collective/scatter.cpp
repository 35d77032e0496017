// scatter, scatterv: the root sends a block to every rank (docs/motifs/scatter.md).
#include <mpi.h>

#include "motifs/collective/rooted_blocks.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Scatter final : public RootedBlocks<Shares> {
  using Base = RootedBlocks<Shares>;
  using Base::all_blocks_, Base::own_block_, Base::root_, Base::in_place_;
  using Base::rank_, Base::ranks_, Base::communicator_, Base::datatype, Base::perform_call, Base::call_or_start;

 public:
  Scatter()
      : Base(Shares::is_v_variant ? "Scatterv" : "Scatter", "bytes to each rank",
             "the root keeps its own block where it is (MPI_IN_PLACE)") {}
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(Base::total_bytes(ranks)),
                     "bytes of all of the root's blocks / time of the call"};
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  std::vector<Part> outgoing() const override {
    std::vector<Part> parts;
    for (int r = 0; root_.is_this_rank() && r < ranks_; ++r) parts.push_back({all_blocks_[r], rank_, r});
    return parts;
  }
  std::vector<Part> incoming() const override {
    if (*in_place_ && root_.is_this_rank()) return {};  // the root's block stays in the send buffer
    return {{own_block_[0], root_.current(), rank_}};
  }
  void call() override {
    const int root = root_.take_next();
    const bool is_root = root == rank_;
    const void* send_buffer = is_root ? all_blocks_.data() : nullptr;
    void* receive_buffer = *in_place_ && is_root ? MPI_IN_PLACE : own_block_.data();
    if constexpr (Shares::is_v_variant) {
      call_or_start(MPI_Scatterv, MPI_Iscatterv, send_buffer, all_blocks_.counts(), all_blocks_.offsets(), datatype(),
                    receive_buffer, own_block_.count(0), datatype(), root, communicator_);
    } else {
      call_or_start(MPI_Scatter, MPI_Iscatter, send_buffer, own_block_.count(0), datatype(), receive_buffer,
                    own_block_.count(0), datatype(), root, communicator_);
    }
  }
};

const RegisterMotif<Scatter<EvenShares>> scatter{"scatter", Family::collective, "the root sends a block to every rank"};
const RegisterMotif<Scatter<SkewedShares>> scatterv{"scatterv", Family::collective,
                                                    "the root sends a block to every rank; sizes may differ"};

}  // namespace
}  // namespace stressbench
