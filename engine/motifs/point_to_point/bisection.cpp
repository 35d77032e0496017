// bisection: ranks exchange in pairs, all at once, either all across the middle of the ranks or all within a half
// (docs/motifs/bisection.md).
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {

enum class Cut { best, worst };

namespace {

class Bisection final : public Simultaneous {
 public:
  void check(int ranks) const override {
    const bool best_cut = *cut_ == Cut::best;
    require_ranks(best_cut ? "bisection --cut best" : "bisection", best_cut ? 3 : 2, ranks);
  }
  Traffic traffic(int ranks) const override { return traffic_of_messages(messages(ranks)); }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(messages(ranks) * size_bytes()),
                     *cut_ == Cut::worst ? "of all ranks: bytes across the middle, both ways / time"
                                         : "of all ranks: bytes within the halves, both ways / time"};
  }

 private:
  std::int64_t messages(int ranks) const {
    const int lower_ranks = ranks / 2;
    return *cut_ == Cut::worst ? 2 * lower_ranks : 2 * (lower_ranks / 2 + (ranks - lower_ranks) / 2);
  }

  // The lower half has ranks/2 ranks, the upper one the rest.
  Peers peers(int rank, int ranks, const Draw&, std::uint64_t) const override {
    const int partner =
        *cut_ == Cut::worst ? partner_of(rank, {Pairing::Kind::halves}, ranks) : neighbour_in_half(rank, ranks);
    if (partner == no_partner) return {};
    return {{partner}, {partner}};
  }
  static int neighbour_in_half(int rank, int ranks) {
    const int lower_ranks = ranks / 2;
    const int first = rank < lower_ranks ? 0 : lower_ranks;
    const int partner =
        partner_of(rank - first, {Pairing::Kind::neighbours}, rank < lower_ranks ? lower_ranks : ranks - lower_ranks);
    return partner == no_partner ? no_partner : first + partner;
  }

  Param<Cut> cut_{this, "cut", Cut::worst,
                  "worst: all pairs across the middle of the ranks; best: all pairs of neighbours within a half"};
};

const RegisterMotif<Bisection> registered{"bisection", Family::point_to_point,
                                          "pairs of ranks exchange, all across the middle or all within a half",
                                          "b_eff"};

}  // namespace
}  // namespace stressbench
