// permutation: every rank sends to one other and receives from one other, drawn at random (docs/motifs/permutation.md).
#include <algorithm>
#include <iterator>

#include "motifs/point_to_point/drawing.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {
namespace {

class Permutation final : public Simultaneous {
 public:
  void check(int ranks) const override { require_ranks("permutation", 2, ranks); }
  Traffic traffic(int ranks) const override { return traffic_of_messages(ranks); }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(size_bytes()), "of one rank: bytes sent, while as many are received / time"};
  }

 private:
  bool draws_peers() const override { return true; }
  bool peers_change() const override { return *drawing_ == Drawing::iteration; }

  // A random permutation that is a single cycle, all of them equally likely, so that no rank sends to itself: HPCC's
  // randomly ordered ring.
  Peers peers(int rank, int ranks, const Draw& draws, std::uint64_t iteration) const override {
    Draw position = draws;
    position.execution = iteration * static_cast<std::uint64_t>(ranks);
    const std::vector<int> cycle = random_permutation(position, ranks);
    const auto iterator_distance = std::distance(cycle.begin(), std::ranges::find(cycle, rank));
    const auto own_position = static_cast<std::size_t>(iterator_distance);
    const auto length = cycle.size();
    return {{cycle[(own_position + 1) % length]}, {cycle[(own_position + length - 1) % length]}};
  }

  Param<Drawing> drawing_{this, "draw", Drawing::once, drawing_help};
};

const RegisterMotif<Permutation> registered{"permutation", Family::point_to_point,
                                            "each rank sends to a randomly drawn rank, and receives from one",
                                            "HPCC randomly ordered ring"};

}  // namespace
}  // namespace stressbench
