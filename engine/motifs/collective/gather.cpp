// gather, gatherv: the root gets a block from every rank (docs/motifs/gather.md).
#include <mpi.h>

#include "motifs/collective/movement.hpp"
#include "motifs/collective/root.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class Gather final : public Movement {
 public:
  Gather() : Movement(Shares::varied ? "Gatherv" : "Gather", Bytes{4096}, "bytes from each rank") {}
  void check(int ranks) const override {
    Movement::check(ranks);
    root_.check(ranks);
    if (Shares::varied) check_displacements(shares_.total(elements(), ranks));
    if (*in_place_ && root_.rotates() && shares_.skewed()) {
      throw ParameterMistake("in-place", "--in-place: with --skew it goes with a root that stays, not --root rotate");
    }
  }
  // In place the root's block lies in its receive buffer from the first: it gives nothing.
  Traffic traffic(int ranks) const override {
    const std::int64_t kept = *in_place_ ? shares_.of(elements(), root_.fixed(), ranks) : 0;
    return {.collectives = 1, .collective_bytes = bytes_of(shares_.total(elements(), ranks) - kept)};
  }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(bytes_of(shares_.total(elements(), ranks))),
                     "bytes that the root has in the end / time of the call"};
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

 private:
  Root root_{this};
  Param<bool> in_place_{this, '\0', "in-place", "the root's own block is in its place from the first (MPI_IN_PLACE)"};
  Shares shares_{this};
  Blocks own_;
  Blocks all_;
};

const RegisterMotif<Gather<EvenShares>> gather{"gather", Family::collective, "the root gets a block from every rank"};
const RegisterMotif<Gather<SkewedShares>> gatherv{"gatherv", Family::collective,
                                                  "the root gets a block from every rank, of any size each"};

}  // namespace
}  // namespace stressbench
