// sendrecv: every rank sends to its right neighbour while it receives from its left one, round a ring, as IMB-MPI1
// Sendrecv does (docs/motifs/sendrecv.md).
#include <mpi.h>

#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/layout.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;

class Sendrecv final : public Motif, public ListedCalls {
 public:
  void check(int ranks) const override {
    require_ranks("sendrecv", 2, ranks);
    layout_.check(*size_);
  }
  Traffic traffic(int ranks) const override { return {.messages = ranks, .message_bytes = ranks * size_->value}; }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{2 * static_cast<double>(size_->value), "of one rank: bytes sent and received / time (IMB's x2)"};
  }

  calls::CallList listed_calls(int rank, int ranks) const override {
    calls::CallList list(rank, ranks);
    const std::int64_t bytes = size_->value;
    list.sendrecv((rank + 1) % ranks, tag, bytes, (rank + ranks - 1) % ranks, tag, bytes, bytes);
    return list;
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    right_ = (rank_ + 1) % group.size();
    left_ = (rank_ + group.size() - 1) % group.size();
    outgoing_ = layout_.message(*size_);
    incoming_ = layout_.message(*size_);
  }

  void perform(Recorder&) override {
    mpi::check(MPI_Sendrecv(outgoing_.data(), outgoing_.count(), outgoing_.type(), right_, tag, incoming_.data(),
                            incoming_.count(), incoming_.type(), left_, tag, communicator_, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  }

  void fill_payload(std::uint64_t pass) override {
    outgoing_.fill({rank_, right_, pass});
    incoming_.poison({left_, rank_, pass});
  }
  void verify(std::uint64_t pass) const override { incoming_.check({left_, rank_, pass}); }

 private:
  Param<Bytes> size_{this, 's', "size", Bytes{8}, "length of the message", FitsMessage{}};
  LayoutChoice layout_{this};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int right_ = 0;
  int left_ = 0;
  Message outgoing_;
  Message incoming_;
};

const RegisterMotif<Sendrecv> registered{"sendrecv", Family::point_to_point,
                                         "each rank sends right and receives from the left, round a ring",
                                         "IMB-MPI1 Sendrecv"};

}  // namespace
}  // namespace stressbench
