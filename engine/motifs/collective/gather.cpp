// gather, gatherv: the root gets a block from every rank (docs/motifs/gather.md).
#include <mpi.h>

#include "motifs/collective/rooted_blocks.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Gather final : public RootedBlocks<Shares> {
  using Base = RootedBlocks<Shares>;
  using Base::all_blocks_, Base::own_block_, Base::root_, Base::shares_, Base::in_place_;
  using Base::bytes_of, Base::elements;
  using Base::rank_, Base::ranks_, Base::communicator_, Base::datatype, Base::perform_call, Base::call_or_start;

 public:
  Gather()
      : Base(Shares::is_v_variant ? "Gatherv" : "Gather", "bytes from each rank",
             "the root's own block is already in place (MPI_IN_PLACE)") {}
  void check(int ranks) const override {
    Base::check(ranks);
    if (*in_place_ && root_.rotates() && shares_.skewed())
      reject("in-place", "cannot be combined with --skew and --root rotate");
  }
  // With MPI_IN_PLACE the root's own block is already in its receive buffer and is not sent.
  Traffic traffic(int ranks) const override {
    Traffic sum = Base::traffic(ranks);
    if (*in_place_) sum.collective_bytes -= bytes_of(shares_.of(elements(), root_.fixed(), ranks));
    return sum;
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(Base::total_bytes(ranks)),
                     "bytes that the root has at the end / time of the call"};
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  std::vector<Part> outgoing() const override {
    return {{*in_place_ && root_.is_this_rank() ? all_blocks_[rank_] : own_block_[0], rank_, root_.current()}};
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int r = 0; root_.is_this_rank() && r < ranks_; ++r) parts.push_back({all_blocks_[r], r, rank_});
    return parts;
  }
  void call() override {
    const int root = root_.take_next();
    const bool is_root = root == rank_;
    const void* send_buffer = *in_place_ && is_root ? MPI_IN_PLACE : own_block_.data();
    void* receive_buffer = is_root ? all_blocks_.data() : nullptr;
    if constexpr (Shares::is_v_variant) {
      call_or_start(MPI_Gatherv, MPI_Igatherv, send_buffer, own_block_.count(0), datatype(), receive_buffer,
                    all_blocks_.counts(), all_blocks_.offsets(), datatype(), root, communicator_);
    } else {
      call_or_start(MPI_Gather, MPI_Igather, send_buffer, own_block_.count(0), datatype(), receive_buffer,
                    own_block_.count(0), datatype(), root, communicator_);
    }
  }
};

const RegisterMotif<Gather<EvenShares>> gather{"gather", Family::collective, "the root gets a block from every rank"};
const RegisterMotif<Gather<SkewedShares>> gatherv{"gatherv", Family::collective,
                                                  "the root gets a block from every rank; sizes may differ"};

}  // namespace
}  // namespace stressbench
