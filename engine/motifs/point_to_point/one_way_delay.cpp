// one_way_delay: a ping-pong that measures each direction by itself: the reply carries the time at which the message
// arrived (docs/motifs/one_way_delay.md).
#include <mpi.h>

#include <cstring>
#include <span>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "motifs/clock_offset.hpp"
#include "motifs/point_to_point/round_trip.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;
constexpr std::size_t time_bytes = sizeof(std::int64_t);

// Parameter rule: a reply has space for a time.
struct CarriesTime {
  static constexpr std::string_view words = "at least 8 bytes, for the time that a reply carries";
  static bool holds(Bytes size) noexcept { return size.value >= static_cast<std::int64_t>(time_bytes); }
};

enum class Clocks { offset, raw };

class OneWayDelay final : public RoundTrip {
 public:
  OneWayDelay() : RoundTrip(CarriesTime{}) {}

  void check(int ranks) const override { require_ranks("one_way_delay", 2, ranks); }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    partner_ = partner_of(rank_, *pairs_, group.size());
    outgoing_ = Buffer(*size_);
    incoming_ = Buffer(*size_);
    if (*clocks_ == Clocks::offset) clock_offset_ns_ = clock_offset_ns(group, MonotonicClock{});
  }

  void perform(Recorder& recorder) override {
    const auto count = static_cast<int>(size_->value);
    if (is_timed()) {
      const std::int64_t sent_ns = common(recorder.now_ns());
      mpi::check(MPI_Send(outgoing_.data(), count, MPI_BYTE, partner_, tag, communicator_), "MPI_Send");
      mpi::check(MPI_Recv(incoming_.data(), count, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE),
                 "MPI_Recv");
      const std::int64_t returned_ns = common(recorder.now_ns());
      std::int64_t turned_ns = 0;
      std::memcpy(&turned_ns, incoming_.data(), sizeof turned_ns);
      forward_.add(static_cast<double>(turned_ns - sent_ns) * 1e-9);
      backward_.add(static_cast<double>(returned_ns - turned_ns) * 1e-9);
    } else if (partner_ != no_partner) {
      mpi::check(MPI_Recv(incoming_.data(), count, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE),
                 "MPI_Recv");
      const std::int64_t turned_ns = common(recorder.now_ns());
      std::memcpy(outgoing_.data(), &turned_ns, sizeof turned_ns);
      mpi::check(MPI_Send(outgoing_.data(), count, MPI_BYTE, partner_, tag, communicator_), "MPI_Send");
    }
  }

  bool is_timed() const override { return partner_ != no_partner && rank_ < partner_; }

  // The first bytes of a reply are a time.
  void fill_payload(std::uint64_t pass) override {
    payload::fill(after_time(outgoing_), {rank_, partner_, pass}, time_bytes);
    payload::poison(after_time(incoming_), {partner_, rank_, pass}, time_bytes);
  }
  void verify(std::uint64_t pass) const override {
    if (partner_ != no_partner) payload::check(after_time(incoming_), {partner_, rank_, pass}, time_bytes);
  }

 private:
  static std::span<std::byte> after_time(const Buffer& buffer) { return buffer.bytes().subspan(time_bytes); }
  // The time on the clock of the job's first host, or with raw clocks on this host's.
  std::int64_t common(std::int64_t now_ns) const noexcept { return now_ns - clock_offset_ns_; }

  Param<Clocks> clocks_{this, "clocks", Clocks::offset,
                        "times less the offset between clocks, measured beforehand, or as the clocks show them"};
  Metric forward_{this, "forward_delay_s", Better::lower, "time from the send to the arrival at the partner"};
  Metric backward_{this, "backward_delay_s", Better::lower, "time from the partner's reply to its arrival"};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int partner_ = no_partner;
  std::int64_t clock_offset_ns_ = 0;  // this host's clock minus that of the job's first host
  Buffer outgoing_;
  Buffer incoming_;
};

const RegisterMotif<OneWayDelay> registered{"one_way_delay", Family::point_to_point,
                                            "a ping-pong that measures each direction by itself",
                                            "one-way delay: RFC 7679"};

}  // namespace
}  // namespace stressbench
