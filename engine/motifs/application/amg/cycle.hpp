// The calls of a V-cycle of algebraic multigrid, and of a product with the matrix of the finest level.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "calls/call_list.hpp"
#include "core/pattern.hpp"
#include "motifs/application/amg/hierarchy.hpp"

namespace stressbench::amg {

// The persistent messages of one exchange with all neighbours.
class NeighbourExchange {
 public:
  NeighbourExchange(calls::CallList& calls, const std::vector<Exchange>& exchanges);
  // Computes while the messages are in flight.
  void exchange(calls::CallList& calls, double compute_ns) const;

 private:
  calls::Requests requests_;
};

class Cycle {
 public:
  // Adds the persistent requests of all levels to `calls`.
  Cycle(calls::CallList& calls, const Hierarchy& hierarchy);

  double points() const { return levels_[0].points; }  // of this rank on the finest level
  void multiply(calls::CallList& calls) const;
  void write(calls::CallList& calls) const;

 private:
  struct Level {
    double points;
    NeighbourExchange matrix;
    NeighbourExchange restriction;
    NeighbourExchange interpolation;
  };

  static void relax(calls::CallList& calls, const Level& level, int exchanges);
  void solve_coarsest(calls::CallList& calls) const;

  std::vector<Level> levels_;  // including the coarsest, which has no transfers
  std::map<int, std::int64_t> gathered_;
};

// Traffic of all ranks in one cycle and one product, and the computation of a rank on average, without writing the call
// lists: at 100,000 ranks each has thousands of messages.
Traffic traffic_of_cycle(const Hierarchy& hierarchy, int ranks);

}  // namespace stressbench::amg
