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
    needs_ranks("hotspot", 2, ranks);
    if (*hot_ < ranks) return;
    reject("hot", "{}, but the job's ranks are 0 to {}", *hot_, ranks - 1);
  }
  Traffic traffic(int ranks) const override { return of_messages(ranks * *messages_); }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(ranks * *messages_ * size_bytes()), "of all ranks: bytes sent / time"};
  }

 private:
  bool redraws() const override { return *drawing_ == Drawing::iteration; }

  // Every rank draws for all ranks, and so knows what it will receive without communication.
  Peers peers(int rank, int ranks, const Draw& draws, std::uint64_t iteration) const override {
    Peers found;
    for (int sender = 0; sender < ranks; ++sender) {
      Draw position = draws;
      position.rank = static_cast<std::uint32_t>(sender);
      position.execution = iteration * 2 * static_cast<std::uint64_t>(*messages_);
      for (std::int64_t i = 0; i < *messages_; ++i, position.execution += 2) {
        const int receiver = receiver_of(sender, ranks, position);
        if (sender == rank) found.to.push_back(receiver);
        if (receiver == rank) found.from.push_back(sender);
      }
    }
    return found;
  }

  // Takes two draws: whether to send to the hot rank, and to which other rank. No rank sends to itself.
  int receiver_of(int sender, int ranks, Draw position) const {
    if (sender != *hot_ && random_unit(position) < *fraction_) return static_cast<int>(*hot_);
    ++position.execution;
    const auto other = static_cast<int>(random_below(position, static_cast<std::uint64_t>(ranks - 1)));
    return other < sender ? other : other + 1;
  }

  Param<std::int64_t> messages_{this,       'n',          "messages", 8, "messages that each rank sends at once",
                                Positive{}, AtMost{65536}};
  Param<double> fraction_{this, "fraction", 0.25, "share of the messages that always go to the hot rank", AtMost{1.0}};
  Param<std::int64_t> hot_{this, "hot", 0, "the rank that receives this share", AtMost{int_max}};
  Param<Drawing> drawing_{this, "draw", Drawing::once, drawing_help};
};

const RegisterMotif<Hotspot> registered{"hotspot", Family::point_to_point,
                                        "random messages, a fraction of them to one rank",
                                        "Pfister and Norton, ICPP 1985"};

}  // namespace
}  // namespace stressbench
