// bandwidth: pairs of ranks keep a window of messages in flight, one way with a short acknowledgement or both ways at
// once, as osu_bw, osu_bibw, osu_mbw_mr and IMB's Uniband and Biband do (docs/motifs/bandwidth.md).
#include <mpi.h>

#include <vector>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "motifs/listed_calls.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

enum class StreamDirection { one, both };

namespace {

constexpr int tag = 1;
constexpr std::int64_t acknowledgement_bytes = 4;

class Streaming final : public Motif, public ListedCalls {
 public:
  Streaming() { timer_.preset(Timer::iteration); }

  void check(int ranks) const override { require_ranks("bandwidth", 2, ranks); }
  Traffic traffic(int ranks) const override {
    const std::int64_t payloads = window_messages(ranks);
    const std::int64_t acknowledgements = both_ways() ? 0 : ranks / 2;
    return {.messages = payloads + acknowledgements,
            .message_bytes = payloads * size_->value + acknowledgements * acknowledgement_bytes};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::string quantity() const override { return "window time"; }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    const std::int64_t messages = window_messages(ranks);
    return Bandwidth{static_cast<double>(messages * size_->value),
                     both_ways() ? "of all pairs: bytes of the windows, both ways / time"
                                 : "of all pairs: bytes of the windows, one way / time until acknowledged",
                     messages};
  }

  calls::CallList listed_calls(int rank, int ranks) const override {
    calls::CallList list(rank, ranks);
    const int partner = partner_of(rank, *pairs_, ranks);
    if (partner == no_partner) return list;
    const auto window = static_cast<int>(*window_option_);
    const calls::Requests sends = list.requests(both_ways() || rank < partner ? window : 0);
    const calls::Requests receives = list.requests(both_ways() || rank > partner ? window : 0);
    for (int k = 0; k < receives.count; ++k) list.irecv(receives[k], partner, tag, size_->value);
    for (int k = 0; k < sends.count; ++k) list.isend(sends[k], partner, tag, size_->value);
    if (sends.count > 0) list.wait_all(sends);
    if (receives.count > 0) list.wait_all(receives);
    if (both_ways()) return list;
    rank < partner ? list.receive(partner, tag, acknowledgement_bytes) : list.send(partner, tag, acknowledgement_bytes);
    return list;
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    partner_ = partner_of(rank_, *pairs_, group.size());
    initiator_ = rank_ < partner_;
    if (partner_ == no_partner) return;
    role_ = both_ways() ? Role::both : initiator_ ? Role::source : Role::sink;
    count_ = static_cast<int>(size_->value);
    window_ = static_cast<int>(*window_option_);
    outgoing_ = Buffer(role_ == Role::sink ? Bytes{acknowledgement_bytes} : *size_);
    incoming_ = Buffer(role_ == Role::source ? Bytes{acknowledgement_bytes} : *size_);
    send_requests_.assign(role_ == Role::sink ? 0 : static_cast<std::size_t>(window_), MPI_REQUEST_NULL);
    receive_requests_.assign(role_ == Role::source ? 0 : static_cast<std::size_t>(window_), MPI_REQUEST_NULL);
  }

  void perform(Recorder&) override {
    switch (role_) {
      case Role::idle:
        return;
      case Role::source:
        post_sends();
        wait(send_requests_);
        mpi::check(MPI_Recv(incoming_.data(), acknowledgement_bytes, MPI_BYTE, partner_, tag, communicator_,
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
        return;
      case Role::sink:
        post_receives();
        wait(receive_requests_);
        mpi::check(MPI_Send(outgoing_.data(), acknowledgement_bytes, MPI_BYTE, partner_, tag, communicator_),
                   "MPI_Send");
        return;
      case Role::both:
        post_receives();
        post_sends();
        wait(send_requests_);
        wait(receive_requests_);
        return;
    }
  }

  bool is_timed() const override { return role_ != Role::idle && (initiator_ || timer() == Timer::loop); }

  void fill_payload(std::uint64_t pass) override {
    payload::fill(outgoing_.bytes(), {rank_, partner_, pass});
    payload::poison(incoming_.bytes(), {partner_, rank_, pass});
  }
  void verify(std::uint64_t pass) const override { payload::check(incoming_.bytes(), {partner_, rank_, pass}); }

 private:
  enum class Role { idle, source, sink, both };

  bool both_ways() const noexcept { return *direction_ == StreamDirection::both; }
  std::int64_t window_messages(int ranks) const { return ranks / 2 * *window_option_ * (both_ways() ? 2 : 1); }

  // As in the OSU benchmarks, all messages of a window use one buffer on each side.
  void post_sends() {
    for (MPI_Request& request : send_requests_) {
      mpi::check(MPI_Isend(outgoing_.data(), count_, MPI_BYTE, partner_, tag, communicator_, &request), "MPI_Isend");
    }
  }
  void post_receives() {
    for (MPI_Request& request : receive_requests_) {
      mpi::check(MPI_Irecv(incoming_.data(), count_, MPI_BYTE, partner_, tag, communicator_, &request), "MPI_Irecv");
    }
  }
  void wait(std::vector<MPI_Request>& requests) const {
    mpi::check(MPI_Waitall(window_, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "length of each message", FitsMessage{}};
  Param<std::int64_t> window_option_{
      this, 'w', "window", 64, "messages that a rank has in flight before it waits", Positive{}, AtMost{65536}};
  Param<StreamDirection> direction_{
      this, "direction", StreamDirection::one,
      "which rank of a pair sends: the lower one, which gets an acknowledgement, or both at once"};
  Param<Pairing> pairs_{this, "pairs", Pairing{}, "how ranks are paired", KnownPairing{}};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  Role role_ = Role::idle;
  bool initiator_ = false;
  int rank_ = 0;
  int partner_ = no_partner;
  int count_ = 0;
  int window_ = 0;
  Buffer outgoing_;
  Buffer incoming_;
  std::vector<MPI_Request> send_requests_;
  std::vector<MPI_Request> receive_requests_;
};

const RegisterMotif<Streaming> registered{"bandwidth", Family::point_to_point,
                                          "pairs of ranks stream windows of messages, one way or both ways",
                                          "osu_bw, osu_bibw, osu_mbw_mr; IMB Uniband, Biband"};

}  // namespace
}  // namespace stressbench
