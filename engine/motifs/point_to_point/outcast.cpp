// outcast: some ranks send to all others at once, the reverse of an incast (docs/motifs/outcast.md).

#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {
namespace {

class Outcast final : public Simultaneous {
 public:
  void check(int ranks) const override {
    require_ranks("outcast", 2, ranks);
    if (*root_ >= ranks) reject("root", "{}, but the job's ranks are 0 to {}", *root_, ranks - 1);
    if (*roots_ >= ranks) reject("roots", "{} of {} ranks leave no receiver; at most {}", *roots_, ranks, ranks - 1);
  }
  Traffic traffic(int ranks) const override { return traffic_of_messages(*roots_ * (ranks - *roots_)); }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>((ranks - *roots_) * size_bytes()), "bytes that one root sends / time"};
  }

 private:
  bool is_root(int rank, int ranks) const { return (rank - *root_ + ranks) % ranks < *roots_; }

  // Each root starts with the rank after it, so that roots do not all send to the same rank first.
  Peers peers(int rank, int ranks, const Draw&, std::uint64_t) const override {
    Peers peers;
    for (int step = 1; step < ranks; ++step) {
      const int other = (rank + step) % ranks;
      if (is_root(rank, ranks) == is_root(other, ranks)) continue;
      (is_root(rank, ranks) ? peers.to : peers.from).push_back(other);
    }
    return peers;
  }

  Param<std::int64_t> root_{this, 'r', "root", 0, "the first rank that sends", AtMost{int_max}};
  Param<std::int64_t> roots_{this,       "roots",        1, "number of ranks that send, from the root on",
                             Positive{}, AtMost{int_max}};
};

const RegisterMotif<Outcast> registered{"outcast", Family::point_to_point, "one rank or several send to all others"};

}  // namespace
}  // namespace stressbench
