// exchange: every rank sends to and receives from both neighbours in a ring, as IMB-MPI1 Exchange does
// (docs/motifs/exchange.md).
#include <mpi.h>

#include <array>

#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/layout.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;

class Exchange final : public Motif, public ListedCalls {
 public:
  void check(int ranks) const override {
    require_ranks("exchange", 2, ranks);
    layout_.check(*size_);
  }
  Traffic traffic(int ranks) const override {
    return {.messages = 2 * ranks, .message_bytes = 2 * ranks * size_->value};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{4 * static_cast<double>(size_->value),
                     "of one rank: bytes sent to and received from both neighbours / time (IMB's x4)"};
  }

  calls::CallList listed_calls(int rank, int ranks) const override {
    calls::CallList list(rank, ranks);
    const int right = (rank + 1) % ranks;
    const int left = (rank + ranks - 1) % ranks;
    const calls::Requests requests = list.requests(2);
    list.isend(requests[0], right, tag, size_->value);
    list.isend(requests[1], left, tag, size_->value);
    list.receive(left, tag, size_->value);
    list.receive(right, tag, size_->value);
    list.wait_all(requests);
    return list;
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    const int right = (rank_ + 1) % group.size();
    const int left = (rank_ + group.size() - 1) % group.size();
    // The first send goes right and the first receive is from the left: in a ring of two, where both neighbours are the
    // same rank, the message sent first is received first.
    to_ = {right, left};
    from_ = {left, right};
    for (Message& message : outgoing_) message = layout_.message(*size_);
    for (Message& message : incoming_) message = layout_.message(*size_);
  }

  void perform(Recorder&) override {
    for (std::size_t i = 0; i < 2; ++i) {
      mpi::check(MPI_Isend(outgoing_[i].data(), outgoing_[i].count(), outgoing_[i].type(), to_[i], tag, communicator_,
                           &in_flight_[i]),
                 "MPI_Isend");
    }
    for (std::size_t i = 0; i < 2; ++i) {
      mpi::check(MPI_Recv(incoming_[i].data(), incoming_[i].count(), incoming_[i].type(), from_[i], tag, communicator_,
                          MPI_STATUS_IGNORE),
                 "MPI_Recv");
    }
    mpi::check(MPI_Waitall(2, in_flight_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

  void fill_payload(std::uint64_t pass) override {
    for (std::size_t i = 0; i < 2; ++i) {
      outgoing_[i].fill({rank_, to_[i], pass});
      incoming_[i].poison({from_[i], rank_, pass});
    }
  }
  void verify(std::uint64_t pass) const override {
    for (std::size_t i = 0; i < 2; ++i) incoming_[i].check({from_[i], rank_, pass});
  }

 private:
  Param<Bytes> size_{this, 's', "size", Bytes{8}, "length of each message", FitsMessage{}};
  LayoutChoice layout_{this};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::array<int, 2> to_{};
  std::array<int, 2> from_{};
  std::array<Message, 2> outgoing_;
  std::array<Message, 2> incoming_;
  std::array<MPI_Request, 2> in_flight_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

const RegisterMotif<Exchange> registered{"exchange", Family::point_to_point,
                                         "each rank exchanges a message with both neighbours in a ring",
                                         "IMB-MPI1 Exchange"};

}  // namespace
}  // namespace stressbench
