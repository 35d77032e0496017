// shift, tornado: every rank sends to the rank at a fixed distance, all at the same time (docs/motifs/shift.md).

#include "motifs/point_to_point/pairing.hpp"
#include "motifs/point_to_point/simultaneous.hpp"

namespace stressbench {
namespace {

class ShiftPattern : public Simultaneous {
 public:
  Traffic traffic(int ranks) const override { return traffic_of_messages(ranks); }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(size_bytes()), "of one rank: bytes sent, while as many are received / time"};
  }

 protected:
  virtual int distance(int ranks) const = 0;
  Peers peers(int rank, int ranks, const Draw&, std::uint64_t) const override {
    const int offset = distance(ranks);
    return {{(rank + offset) % ranks}, {(rank + ranks - offset) % ranks}};
  }
};

class Shift final : public ShiftPattern {
 public:
  void check(int ranks) const override {
    require_ranks("shift", 2, ranks);
    if (*distance_ < ranks) return;
    reject("distance", "{}, but {} ranks are at most {} apart", *distance_, ranks, ranks - 1);
  }

 private:
  int distance(int) const override { return static_cast<int>(*distance_); }

  Param<std::int64_t> distance_{this,           'd', "distance", 1, "distance of the receiver in ranks", Positive{},
                                AtMost{int_max}};
};

// Almost half way around a ring in one direction, so that the links of the other direction stay idle (Dally and Towles,
// Principles and Practices of Interconnection Networks, section 3.2).
class Tornado final : public ShiftPattern {
 public:
  void check(int ranks) const override { require_ranks("tornado", 3, ranks); }

 private:
  int distance(int ranks) const override { return (ranks + 1) / 2 - 1; }
};

const RegisterMotif<Shift> shift{"shift", Family::point_to_point, "each rank sends to the rank at a given distance"};
const RegisterMotif<Tornado> tornado{"tornado", Family::point_to_point,
                                     "each rank sends almost half way round the ring, all in one direction",
                                     "Dally and Towles, section 3.2"};

}  // namespace
}  // namespace stressbench
