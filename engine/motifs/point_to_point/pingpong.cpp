// pingpong: two ranks send a message back and forth, as in the OSU and Intel latency tests (docs/motifs/pingpong.md).
#include <mpi.h>

#include <vector>

#include "motifs/listed_calls.hpp"
#include "motifs/point_to_point/layout.hpp"
#include "motifs/point_to_point/round_trip.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;

class PingPong final : public RoundTrip, public ListedCalls {
 public:
  void check(int ranks) const override {
    require_ranks("pingpong", 2, ranks);
    layout_.check(*size_);
  }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{2 * static_cast<double>(size_->value),
                     "of one pair: bytes both ways / round-trip time, which is bytes one way / one-way time"};
  }

  calls::CallList listed_calls(int rank, int ranks) const override {
    calls::CallList list(rank, ranks);
    const int partner = partner_of(rank, *pairs_, ranks);
    if (partner == no_partner) return list;
    if (rank < partner) list.send(partner, tag, size_->value);
    list.receive(partner, tag, size_->value);
    if (rank > partner) list.send(partner, tag, size_->value);
    return list;
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    partner_ = partner_of(rank_, *pairs_, group.size());
    role_ = partner_ == no_partner ? Role::idle : rank_ < partner_ ? Role::ping : Role::pong;
    if (role_ == Role::idle) return;
    outgoing_ = layout_.message(*size_);
    incoming_ = layout_.message(*size_);
    count_ = outgoing_.count();
    out_type_ = outgoing_.type();
    in_type_ = incoming_.type();
    out_ = outgoing_.data();
    in_ = incoming_.data();
  }

  // Only two branches and two calls: their overhead on an 8-byte ping-pong must stay below its noise
  // (docs/motifs/pingpong.md).
  void perform(Recorder&) override {
    if (role_ == Role::ping) {
      mpi::check(MPI_Send(out_, count_, out_type_, partner_, tag, communicator_), "MPI_Send");
      mpi::check(MPI_Recv(in_, count_, in_type_, partner_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    } else if (role_ == Role::pong) {
      mpi::check(MPI_Recv(in_, count_, in_type_, partner_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
      mpi::check(MPI_Send(out_, count_, out_type_, partner_, tag, communicator_), "MPI_Send");
    }
  }

  bool is_timed() const override { return role_ == Role::ping || (role_ == Role::pong && timer() == Timer::loop); }

  void fill_payload(std::uint64_t pass) override {
    outgoing_.fill({rank_, partner_, pass});
    incoming_.poison({partner_, rank_, pass});
  }
  void verify(std::uint64_t pass) const override { incoming_.check({partner_, rank_, pass}); }

 private:
  enum class Role { idle, ping, pong };

  LayoutChoice layout_{this};

  // Everything that `perform` reads, adjacent in memory.
  Role role_ = Role::idle;
  int count_ = 0;
  int partner_ = no_partner;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Datatype out_type_ = MPI_BYTE;
  MPI_Datatype in_type_ = MPI_BYTE;
  std::byte* out_ = nullptr;
  std::byte* in_ = nullptr;

  int rank_ = 0;
  Message outgoing_;
  Message incoming_;
};

std::vector<Bytes> default_sizes() {
  std::vector<Bytes> sizes{Bytes{0}};
  for (std::int64_t size = 1; size <= 4 << 20; size *= 2) sizes.push_back(Bytes{size});
  return sizes;
}

class PingPongAllLatencies final : public Motif {
 public:
  PingPongAllLatencies() { timer_.preset(Timer::iteration); }

  void check(int ranks) const override { require_ranks("pingpongalllatencies", 2, ranks); }
  // Traffic of the whole series: with -i, one iteration of each size; otherwise the default number of iterations of
  // each size.
  Traffic traffic(int ranks) const override {
    Traffic sum;
    for (const auto& part : parts()) {
      const Traffic part_traffic = part->traffic(ranks);
      const std::int64_t repetitions = iterations_.was_given() ? 1 : part->iterations();
      sum.messages += repetitions * part_traffic.messages;
      sum.message_bytes += repetitions * part_traffic.message_bytes;
    }
    return sum;
  }
  std::string quantity() const override { return "one-way latency"; }
  double quantity_scale() const override { return 0.5; }

  std::vector<std::unique_ptr<Motif>> parts() const override {
    std::vector<std::unique_ptr<Motif>> series;
    for (const Bytes size : *sizes_) {
      auto part = std::make_unique<PingPong>();
      part->find("size")->parse(units::spell(size));
      part->find("pairs")->parse(pairs_.text());
      part->find("timer")->parse(timer_.text());
      part->find("iterations")
          ->parse(std::to_string(iterations_.was_given() ? iterations() : default_iterations(size)));
      series.push_back(std::move(part));
    }
    return series;
  }

  void decompose(const mpi::Group&, const Draw&) override {}  // done by the parts
  void perform(Recorder&) override {}

 private:
  // Default number of iterations, as in the OSU benchmarks.
  static std::int64_t default_iterations(Bytes size) noexcept { return size.value <= 8192 ? 10'000 : 1'000; }

  Param<std::vector<Bytes>> sizes_{this, "sizes", default_sizes(), "lengths of the messages", Each{FitsMessage{}}};
  Param<Pairing> pairs_{this, "pairs", Pairing{}, "how ranks are paired", KnownPairing{}};
};

const RegisterMotif<PingPong> ping_pong{"pingpong", Family::point_to_point,
                                        "pairs of ranks send a message back and forth"};
const RegisterMotif<PingPongAllLatencies> all_latencies{"pingpongalllatencies", Family::point_to_point,
                                                        "a ping-pong for each size from 0 B to 4 MiB",
                                                        "OSU and Intel benchmarks; StressBench IV-B"};

}  // namespace
}  // namespace stressbench
