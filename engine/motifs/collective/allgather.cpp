// allgather, allgatherv: every rank gets every rank's block (docs/motifs/allgather.md).
#include <mpi.h>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Allgather final : public Movement {
 public:
  Allgather() : Movement(Shares::is_v_variant ? "Allgatherv" : "Allgather", Bytes{4096}, "bytes from each rank") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    if (Shares::is_v_variant) check_displacements(shares_.total(elements(), ranks));
  }
  Traffic traffic(int ranks) const override {
    return {.collectives = 1, .collective_bytes = bytes_of(shares_.total(elements(), ranks))};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(bytes_of(shares_.total(elements(), ranks))),
                     "bytes that each rank has at the end / time of the call"};
  }
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  void lay_out(const mpi::Group&) override {
    all_blocks_ = blocks(shares_.all(elements(), ranks_));
    if (!*in_place_) own_block_ = blocks({all_blocks_.count(rank_)});
  }
  std::vector<Part> outgoing() const override {
    return {{*in_place_ ? all_blocks_[rank_] : own_block_[0], rank_, rank_}};
  }
  std::vector<Part> incoming() const override {
    std::vector<Part> parts;
    for (int r = 0; r < ranks_; ++r) parts.push_back({all_blocks_[r], r, r});
    return parts;
  }
  void list_call(calls::CallList& list) const override {
    if constexpr (Shares::is_v_variant) {
      std::vector<std::int64_t> counts = shares_.all(elements(), list.ranks());
      for (std::int64_t& count : counts) count = bytes_of(count);
      list.allgatherv(list.all_ranks(), calls::ElementType::bytes, counts);
    } else {
      list.allgather(list.all_ranks(), size().value);
    }
  }
  void call() override {
    const void* send_buffer = *in_place_ ? MPI_IN_PLACE : own_block_.data();
    const int count = all_blocks_.count(rank_);
    if constexpr (Shares::is_v_variant) {
      call_or_start(MPI_Allgatherv, MPI_Iallgatherv, send_buffer, count, datatype(), all_blocks_.data(),
                    all_blocks_.counts(), all_blocks_.offsets(), datatype(), communicator_);
    } else {
      call_or_start(MPI_Allgather, MPI_Iallgather, send_buffer, count, datatype(), all_blocks_.data(), count,
                    datatype(), communicator_);
    }
  }

 private:
  Param<bool> in_place_{this, "in-place", "each rank's own block is already in place (MPI_IN_PLACE)"};
  Shares shares_{this};
  Blocks own_block_;
  Blocks all_blocks_;
};

const RegisterMotif<Allgather<EvenShares>> allgather{"allgather", Family::collective,
                                                     "every rank gets every rank's block"};
const RegisterMotif<Allgather<SkewedShares>> allgatherv{"allgatherv", Family::collective,
                                                        "every rank gets every rank's block; sizes may differ"};

}  // namespace
}  // namespace stressbench
