// compression: takes a share of the network from other jobs: messages to several preceding ranks, a sleep, and the same
// again (CompressionB of active measurement, Casas and Bronevetsky, III-B; docs/motifs/compression.md).

#include "core/pause.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {
namespace {

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
    traffic.compute_s = static_cast<double>(pause_->value) * 1e-9;
    return traffic;
  }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(*partners_ * *messages_ * size_bytes()),
                     "of one rank: bytes sent, while as many are received / time, including the sleep"};
  }

  void decompose(const mpi::Group& group, const Draw& draws) override {
    Simultaneous::decompose(group, draws);
    pause::minimise_timer_slack();
  }

  void perform(Recorder&) override {
    post();
    sleep_for(pause_->value);
    wait();
  }

 private:
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
};

const RegisterMotif<Compression> registered{"compression", Family::point_to_point,
                                            "uses a given share of the network bandwidth: messages, a sleep, messages",
                                            "CompressionB: Casas and Bronevetsky, IPDPS 2014"};

}  // namespace
}  // namespace stressbench
