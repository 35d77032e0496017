// pingping: two ranks send to each other at the same time, so that the two messages cross, as in IMB-MPI1 PingPing
// (docs/motifs/pingping.md).
#include <mpi.h>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;

class PingPing final : public Motif, public ListedCalls {
 public:
  void check(int ranks) const override { require_ranks("pingping", 2, ranks); }
  Traffic traffic(int ranks) const override {
    const std::int64_t messages = 2 * (ranks / 2);
    return {.messages = messages, .message_bytes = messages * size_->value};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(size_->value),
                     "of one pair: bytes one way / time, while as many go the other way (IMB's x1)"};
  }

  calls::CallList listed_calls(int rank, int ranks) const override {
    calls::CallList list(rank, ranks);
    const int partner = partner_of(rank, *pairs_, ranks);
    if (partner == no_partner) return list;
    const calls::Request request = list.requests(1)[0];
    list.isend(request, partner, tag, size_->value);
    list.receive(partner, tag, size_->value);
    list.wait(request);
    return list;
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    partner_ = partner_of(rank_, *pairs_, group.size());
    if (partner_ == no_partner) return;
    count_ = static_cast<int>(size_->value);
    outgoing_ = Buffer(*size_);
    incoming_ = Buffer(*size_);
  }

  void perform(Recorder&) override {
    if (partner_ == no_partner) return;
    MPI_Request send_request = MPI_REQUEST_NULL;
    mpi::check(MPI_Isend(outgoing_.data(), count_, MPI_BYTE, partner_, tag, communicator_, &send_request), "MPI_Isend");
    mpi::check(MPI_Recv(incoming_.data(), count_, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE),
               "MPI_Recv");
    mpi::check(MPI_Wait(&send_request, MPI_STATUS_IGNORE), "MPI_Wait");
  }

  bool is_timed() const override { return partner_ != no_partner; }

  void fill_payload(std::uint64_t pass) override {
    payload::fill(outgoing_.bytes(), {rank_, partner_, pass});
    payload::poison(incoming_.bytes(), {partner_, rank_, pass});
  }
  void verify(std::uint64_t pass) const override { payload::check(incoming_.bytes(), {partner_, rank_, pass}); }

 private:
  Param<Bytes> size_{this, 's', "size", Bytes{8}, "length of each message", FitsMessage{}};
  Param<Pairing> pairs_{this, "pairs", Pairing{}, "how ranks are paired", KnownPairing{}};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int partner_ = no_partner;
  int count_ = 0;
  Buffer outgoing_;
  Buffer incoming_;
};

const RegisterMotif<PingPing> registered{"pingping", Family::point_to_point,
                                         "pairs of ranks send to each other at the same time", "IMB-MPI1 PingPing"};

}  // namespace
}  // namespace stressbench
