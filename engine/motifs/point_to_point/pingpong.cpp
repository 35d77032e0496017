// pingpong: two ranks send a message to and fro, as the OSU and Intel latency tests do; with a window, many messages
// one way and a short acknowledgement, as OSU's bandwidth test does (docs/motifs/pingpong.md).
#include <fmt/format.h>
#include <mpi.h>

#include <vector>

#include "motifs/message.hpp"
#include "motifs/motif.hpp"
#include "motifs/payload.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {
namespace {

struct KnownPairing {
  static constexpr std::string_view words = "one of neighbours, halves, random:SEED";
  static bool holds(const Pairing&) noexcept { return true; }  // Spelling refuses the rest
};

constexpr int tag = 1;
constexpr std::int64_t acknowledgement_bytes = 4;

void needs_two(std::string_view motif, int ranks) {
  if (ranks < 2) throw ParameterMistake("", fmt::format("{} needs 2 ranks or more, but the job has {}", motif, ranks));
}

class PingPong final : public Motif {
 public:
  PingPong() { timer_.preset(Timer::iteration); }

  void check(int ranks) const override { needs_two("pingpong", ranks); }
  Traffic traffic(int ranks) const override {
    const std::int64_t pairs = ranks / 2;
    if (streams()) {
      return {.messages = pairs * (*window_ + 1),
              .message_bytes = pairs * (*window_ * size_->value + acknowledgement_bytes)};
    }
    return {.messages = 2 * pairs, .message_bytes = 2 * pairs * size_->value};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::string quantity() const override { return streams() ? "window time" : "one-way latency"; }
  double quantity_scale() const override { return streams() ? 1.0 : 0.5; }
  std::optional<Bandwidth> bandwidth(int) const override {
    const auto size = static_cast<double>(size_->value);
    if (streams()) {
      return Bandwidth{static_cast<double>(*window_) * size,
                       "of one pair: bytes of a window, one way / time until its acknowledgement"};
    }
    return Bandwidth{2 * size, "of one pair: bytes both ways / round-trip time, which is bytes one way / one-way time"};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    partner_ = partners(*pairs_, group.size())[static_cast<std::size_t>(rank_)];
    initiator_ = rank_ < partner_;
    role_ = partner_ == no_partner ? Role::idle
            : streams()            ? (initiator_ ? Role::source : Role::sink)
                                   : (initiator_ ? Role::ping : Role::pong);
    count_ = static_cast<int>(size_->value);
    const bool takes_part = role_ != Role::idle;
    outgoing_ = takes_part ? Buffer(length(initiator_)) : Buffer();
    incoming_ = takes_part ? Buffer(length(!initiator_)) : Buffer();
    requests_.assign(takes_part && streams() ? static_cast<std::size_t>(*window_) : 0, MPI_REQUEST_NULL);
    in_flight_ = requests_.data();
    window_count_ = static_cast<int>(requests_.size());
    out_ = outgoing_.data();
    in_ = incoming_.data();
  }

  // Two branches and two calls: what this adds to an 8-byte ping-pong must stay below its noise
  // (docs/motifs/pingpong.md).
  void perform(Recorder&) override {
    if (role_ == Role::ping) {
      mpi::must(MPI_Send(out_, count_, MPI_BYTE, partner_, tag, communicator_), "MPI_Send");
      mpi::must(MPI_Recv(in_, count_, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    } else if (role_ == Role::pong) {
      mpi::must(MPI_Recv(in_, count_, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
      mpi::must(MPI_Send(out_, count_, MPI_BYTE, partner_, tag, communicator_), "MPI_Send");
    } else if (role_ == Role::source) {
      send_window();
    } else if (role_ == Role::sink) {
      receive_window();
    }
  }

  bool observes() const override { return role_ != Role::idle && (initiator_ || timer() == Timer::loop); }

  void stamp(std::uint64_t pass) override {
    payload::fill(outgoing_.bytes(), {rank_, partner_, pass});
    payload::spoil(incoming_.bytes(), {partner_, rank_, pass});
  }
  void verify(std::uint64_t pass) const override { payload::check(incoming_.bytes(), {partner_, rank_, pass}); }

 private:
  enum class Role { idle, ping, pong, source, sink };

  void send_window() {
    // One buffer for the whole window on both sides, as OSU has it: all its messages are the same.
    for (int i = 0; i < window_count_; ++i) {
      mpi::must(MPI_Isend(out_, count_, MPI_BYTE, partner_, tag, communicator_, in_flight_ + i), "MPI_Isend");
    }
    mpi::must(MPI_Waitall(window_count_, in_flight_, MPI_STATUSES_IGNORE), "MPI_Waitall");
    mpi::must(MPI_Recv(in_, acknowledgement_bytes, MPI_BYTE, partner_, tag, communicator_, MPI_STATUS_IGNORE),
              "MPI_Recv");
  }
  void receive_window() {
    for (int i = 0; i < window_count_; ++i) {
      mpi::must(MPI_Irecv(in_, count_, MPI_BYTE, partner_, tag, communicator_, in_flight_ + i), "MPI_Irecv");
    }
    mpi::must(MPI_Waitall(window_count_, in_flight_, MPI_STATUSES_IGNORE), "MPI_Waitall");
    mpi::must(MPI_Send(out_, acknowledgement_bytes, MPI_BYTE, partner_, tag, communicator_), "MPI_Send");
  }

  bool streams() const noexcept { return *window_ > 1; }
  // Of the messages of the pair's initiator, or of the other.
  std::size_t length(bool of_initiator) const noexcept {
    return static_cast<std::size_t>(streams() && !of_initiator ? acknowledgement_bytes : size_->value);
  }

  Param<Bytes> size_{this, 's', "size", Bytes{8}, "length of the message", FitsMessage{}};
  Param<Pairing> pairs_{this, '\0', "pairs", Pairing{}, "who plays with whom", KnownPairing{}};
  Param<std::int64_t> window_{
      this,
      'w',
      "window",
      1,
      "messages in flight; 1 is a ping-pong, more measure bandwidth: all one way, then a 4-byte acknowledgement",
      Positive{},
      AtMost<std::int64_t>{65536}};

  // All that `perform` reads, in one place.
  Role role_ = Role::idle;
  int count_ = 0;
  int partner_ = no_partner;
  int window_count_ = 0;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::byte* out_ = nullptr;
  std::byte* in_ = nullptr;
  MPI_Request* in_flight_ = nullptr;

  int rank_ = 0;
  bool initiator_ = false;
  Buffer outgoing_;
  Buffer incoming_;
  std::vector<MPI_Request> requests_;
};

std::vector<Bytes> default_sizes() {
  std::vector<Bytes> sizes{Bytes{0}};
  for (std::int64_t size = 1; size <= 4 << 20; size *= 2) sizes.push_back(Bytes{size});
  return sizes;
}

class PingPongAllLatencies final : public Motif {
 public:
  PingPongAllLatencies() { timer_.preset(Timer::iteration); }

  void check(int ranks) const override { needs_two("pingpongalllatencies", ranks); }
  // Of the whole series: with -i once through it, else with each size's own number of iterations.
  Traffic traffic(int ranks) const override {
    Traffic sum;
    for (const auto& part : parts()) {
      const Traffic one = part->traffic(ranks);
      const std::int64_t times = iterations_.was_given() ? 1 : part->iterations();
      sum.messages += times * one.messages;
      sum.message_bytes += times * one.message_bytes;
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
      part->find("iterations")->parse(std::to_string(iterations_.was_given() ? iterations() : customary(size)));
      series.push_back(std::move(part));
    }
    return series;
  }

  void decompose(const mpi::Group&, const Draw&) override {}  // the parts do it
  void perform(Recorder&) override {}

 private:
  // OSU's counts.
  static std::int64_t customary(Bytes size) noexcept { return size.value <= 8192 ? 10'000 : 1'000; }

  Param<std::vector<Bytes>> sizes_{
      this, '\0', "sizes", default_sizes(), "lengths of the messages", Each{FitsMessage{}}};
  Param<Pairing> pairs_{this, '\0', "pairs", Pairing{}, "who plays with whom", KnownPairing{}};
};

const RegisterMotif<PingPong> ping_pong{"pingpong", Family::point_to_point,
                                        "pairs of ranks send a message to and fro, or a window of them one way"};
const RegisterMotif<PingPongAllLatencies> all_latencies{"pingpongalllatencies", Family::point_to_point,
                                                        "a ping-pong for each size from 0 B to 4 MiB",
                                                        "OSU and Intel benchmarks; StressBench IV-B"};

}  // namespace
}  // namespace stressbench
