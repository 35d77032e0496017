// hotspot: every rank sends messages to random ranks, a fraction of them to one rank that is the same for all (Pfister
// and Norton, ICPP 1985; docs/motifs/hotspot.md).

#include "motifs/point_to_point/drawing.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {
namespace {

class Hotspot final : public Simultaneous {
 public:
  void check(int ranks) const override {
    require_ranks("hotspot", 2, ranks);
    if (*hot_rank_ < ranks) return;
    reject("hot", "{}, but the job's ranks are 0 to {}", *hot_rank_, ranks - 1);
  }
  Traffic traffic(int ranks) const override { return traffic_of_messages(ranks * *messages_); }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(ranks * *messages_ * size_bytes()), "of all ranks: bytes sent / time"};
  }

 private:
  bool draws_peers() const override { return true; }
  bool peers_change() const override { return *drawing_ == Drawing::iteration; }

  // Every rank draws for all ranks, so that it can compute without communication what it will receive.
  Peers peers(int rank, int ranks, const Draw& draws, std::uint64_t iteration) const override {
    Peers peers;
    for (int sender = 0; sender < ranks; ++sender) {
      Draw draw = draws;
      draw.rank = static_cast<std::uint32_t>(sender);
      draw.execution = iteration * 2 * static_cast<std::uint64_t>(*messages_);
      for (std::int64_t i = 0; i < *messages_; ++i, draw.execution += 2) {
        const int receiver = receiver_of(sender, ranks, draw);
        if (sender == rank) peers.to.push_back(receiver);
        if (receiver == rank) peers.from.push_back(sender);
      }
    }
    return peers;
  }

  // Takes two draws: whether to send to the hot rank, and to which other rank. No rank sends to itself.
  int receiver_of(int sender, int ranks, Draw draw) const {
    if (sender != *hot_rank_ && random_unit(draw) < *hot_fraction_) return static_cast<int>(*hot_rank_);
    ++draw.execution;
    const auto other = static_cast<int>(random_below(draw, static_cast<std::uint64_t>(ranks - 1)));
    return other < sender ? other : other + 1;
  }

  Param<std::int64_t> messages_{this,       'n',          "messages", 8, "messages that each rank sends at once",
                                Positive{}, AtMost{65536}};
  Param<double> hot_fraction_{this, "fraction", 0.25, "share of the messages that always go to the hot rank",
                              AtMost{1.0}};
  Param<std::int64_t> hot_rank_{this, "hot", 0, "the rank that receives this share", AtMost{int_max}};
  Param<Drawing> drawing_{this, "draw", Drawing::once, drawing_help};
};

const RegisterMotif<Hotspot> registered{"hotspot", Family::point_to_point,
                                        "random messages, a fraction of them to one rank",
                                        "Pfister and Norton, ICPP 1985"};

}  // namespace
}  // namespace stressbench
