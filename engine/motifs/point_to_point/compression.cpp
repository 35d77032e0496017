// compression: takes a share of the network from other jobs: messages to several preceding ranks with a sleep after
// those to each, and the same again (CompressionB of active measurement, Casas and Bronevetsky, Figure 5;
// docs/motifs/compression.md).

#include "core/pause.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {
namespace {

enum class PauseAfter { partner, round };

class Compression final : public Simultaneous {
 public:
  Compression() { size_.preset(Bytes{40 << 10}); }

  void check(int ranks) const override {
    require_ranks("compression", 2, ranks);
    if (*partners_ < ranks) return;
    reject("partners", "{}, but each of {} ranks has {} others", *partners_, ranks, ranks - 1);
  }
  Traffic traffic(int ranks) const override {
    Traffic traffic = traffic_of_messages(ranks * *partners_ * *messages_);
    traffic.compute_s = static_cast<double>(pauses() * pause_->value) * 1e-9;
    return traffic;
  }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(*partners_ * *messages_ * size_bytes()),
                     "of one rank: bytes sent, while as many are received / time, including sleeps"};
  }

  calls::CallList listed_calls(int, int) const override {
    reject("", "lists of calls have no messages that are in flight during a sleep");
  }

  void decompose(const mpi::Group& group, const Draw& draws) override {
    Simultaneous::decompose(group, draws);
    pause::minimise_timer_slack();
  }

  void perform(Recorder&) override {
    if (*pause_after_ == PauseAfter::round) {
      post();
      sleep_for(pause_->value);
    } else {
      start();
      const auto messages = static_cast<std::size_t>(*messages_);
      for (std::size_t partner = 0; partner < static_cast<std::size_t>(*partners_); ++partner) {
        post_pairs(partner * messages, messages);
        sleep_for(pause_->value);
      }
    }
    wait();
  }

 private:
  std::int64_t pauses() const { return *pause_after_ == PauseAfter::round ? 1 : *partners_; }

  Peers peers(int rank, int ranks, const Draw&, std::uint64_t) const override {
    Peers peers;
    for (int distance = 1; distance <= *partners_; ++distance) {
      peers.to.insert(peers.to.end(), static_cast<std::size_t>(*messages_), (rank + ranks - distance) % ranks);
      peers.from.insert(peers.from.end(), static_cast<std::size_t>(*messages_), (rank + distance) % ranks);
    }
    return peers;
  }

  Param<std::int64_t> partners_{
      this,           'p', "partners", 1, "number of preceding ranks in the ring that a rank sends to", Positive{},
      AtMost{int_max}};
  Param<std::int64_t> messages_{this, 'n', "messages", 1, "messages to each partner", Positive{}, AtMost{65536}};
  Param<Nanoseconds> pause_{this, "pause", Nanoseconds{1'000'000}, "sleep while messages are in flight", Positive{}};
  Param<PauseAfter> pause_after_{this, "pause-after", PauseAfter::partner,
                                 "sleep after the messages to each partner, or once after those to all"};
};

const RegisterMotif<Compression> registered{"compression", Family::point_to_point,
                                            "uses a given share of the network bandwidth: messages and sleeps",
                                            "CompressionB: Casas and Bronevetsky, IPDPS 2014"};

}  // namespace
}  // namespace stressbench
