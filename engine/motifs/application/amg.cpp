// amg: conjugate gradient iterations, preconditioned with a V-cycle of algebraic multigrid (LLNL/AMG, problem 1;
// docs/motifs/amg.md).

#include <memory>
#include <string>
#include <vector>

#include "motifs/application/amg/lattice.hpp"
#include "motifs/application/amg/table.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using amg::Exchange;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;

// Computation per point in the reference capture, in nanoseconds: a row of the matrix during the exchange, and the
// vector update after it; interpolation or restriction, per point of the finer level; the vectors of the conjugate
// gradients before the matrix product, the first sum, the V-cycle and the last two sums.
constexpr double row_ns = 9.0;
constexpr double relax_ns = 2.5;
constexpr double transfer_ns = 2.2;
constexpr double direction_ns = 0.8;
constexpr double product_ns = 1.5;
constexpr double update_ns = 1.4;
constexpr double residual_ns = 2.8;
constexpr double norm_ns = 0.65;

// Exchanges on each level: relaxation takes two, for the coarse and then the fine points. On the way down, the residual
// takes a third.
constexpr int exchanges_down = 3;
constexpr int exchanges_up = 2;

struct GivenSides {
  static constexpr std::string_view words = "sides: 16x16x16";
  static bool holds(const Dims<3>& dims) { return dims.chosen(); }
};

// The persistent messages of one exchange with all neighbours.
class NeighbourExchange {
 public:
  enum class Direction { forward, backward };
  NeighbourExchange(CallList& calls, const std::vector<Exchange>& exchanges, Direction direction) {
    const bool forward = direction == Direction::forward;
    int count = 0;
    for (const Exchange& exchange : exchanges) count += (exchange.sent > 0 ? 1 : 0) + (exchange.received > 0 ? 1 : 0);
    requests_ = calls.requests(count);
    int k = 0;
    for (const Exchange& exchange : exchanges) {
      const std::int64_t bytes = forward ? exchange.received : exchange.sent;
      if (bytes > 0) calls.persistent_receive(requests_[k++], exchange.peer, 0, bytes);
    }
    for (const Exchange& exchange : exchanges) {
      const std::int64_t bytes = forward ? exchange.sent : exchange.received;
      if (bytes > 0) calls.persistent_send(requests_[k++], exchange.peer, 0, bytes);
    }
  }

  // Computes while the messages are in flight.
  void exchange(CallList& calls, double compute_ns) const {
    if (requests_.count > 0) calls.start_all(requests_);
    calls.compute(compute_ns);
    if (requests_.count > 0) calls.wait_all(requests_);
  }

 private:
  Requests requests_;
};

struct Level {
  double points;
  NeighbourExchange matrix;
  NeighbourExchange restriction;
  NeighbourExchange interpolation;
};

class Amg final : public Application {
 protected:
  // The sum over the call lists of all ranks, without writing them: at 100,000 ranks each has thousands of messages.
  Traffic own_traffic(int ranks) const override {
    const amg::Lattice lattice(*points_, dims_for(*grid_, ranks));
    const std::unique_ptr<amg::Hierarchy> table = hierarchy_on(ranks, lattice);
    const amg::Hierarchy& hierarchy = table ? *table : static_cast<const amg::Hierarchy&>(lattice);
    Traffic sum{.collectives = 4, .collective_bytes = 3 * 8 * static_cast<std::int64_t>(ranks)};
    for (const auto& [rank, bytes] : hierarchy.coarsest()) sum.collective_bytes += bytes;
    double compute_ns = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      compute_ns += iteration_ns * static_cast<double>(lattice.points(0, rank));
      for (int level = 0; level < hierarchy.levels(); ++level) {
        compute_ns += cycle_ns * static_cast<double>(lattice.points(level, rank));
        add(sum, hierarchy.matrix(level, rank), exchanges_down + exchanges_up + (level == 0 ? 1 : 0));
        add(sum, hierarchy.interpolation(level, rank), 1);
        for (const Exchange& restriction : hierarchy.interpolation(level, rank)) {
          add(sum, {{restriction.peer, restriction.received, restriction.sent}}, 1);
        }
      }
    }
    sum.compute_s = compute_ns / ranks * scale() * 1e-9;
    return sum;
  }

  void check_ranks(int ranks) const override {
    if (grid_->chosen()) check_dims("grid", *grid_, ranks);
    table_.clear();
    const amg::Lattice lattice(*points_, dims_for(*grid_, ranks));
    hierarchy_on(ranks, lattice);
  }

  void write(CallList& calls) const override {
    const amg::Lattice lattice(*points_, dims_for(*grid_, calls.ranks()));
    const std::unique_ptr<amg::Hierarchy> table = hierarchy_on(calls.ranks(), lattice);
    const amg::Hierarchy& hierarchy = table ? *table : static_cast<const amg::Hierarchy&>(lattice);
    const std::vector<Level> levels = levels_of(calls, hierarchy, lattice);
    const double points = levels[0].points;
    const auto sum = [&] { calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1); };
    calls.compute(direction_ns * points);
    levels[0].matrix.exchange(calls, row_ns * points);
    calls.compute(product_ns * points);
    sum();
    calls.compute(update_ns * points);
    cycle(calls, levels, hierarchy);
    calls.compute(residual_ns * points);
    sum();
    calls.compute(norm_ns * points);
    sum();
  }

 private:
  static constexpr double iteration_ns = direction_ns + row_ns + product_ns + update_ns + residual_ns + norm_ns;
  static constexpr double cycle_ns = (exchanges_down + exchanges_up) * (row_ns + relax_ns) + 2 * transfer_ns;

  static void add(Traffic& sum, const std::vector<Exchange>& exchanges, std::int64_t times) {
    for (const Exchange& exchange : exchanges) {
      sum.messages += exchange.sent > 0 ? times : 0;
      sum.message_bytes += times * exchange.sent;
    }
  }

  // The levels of the file in --levels. Null without a file: then the formula of amg::Lattice applies.
  std::unique_ptr<amg::Hierarchy> hierarchy_on(int ranks, const amg::Lattice& lattice) const {
    if (file_->empty()) return nullptr;
    if (table_.empty()) table_ = amg::read_table(*file_);
    return std::make_unique<amg::Table>(table_, *file_, ranks, lattice);
  }

  static std::vector<Level> levels_of(CallList& calls, const amg::Hierarchy& hierarchy, const amg::Lattice& lattice) {
    using enum NeighbourExchange::Direction;
    std::vector<Level> levels;
    for (int k = 0; k < hierarchy.levels(); ++k) {
      const std::vector<Exchange> transfer = hierarchy.interpolation(k, calls.rank());
      levels.push_back({static_cast<double>(lattice.points(k, calls.rank())),
                        NeighbourExchange(calls, hierarchy.matrix(k, calls.rank()), forward),
                        NeighbourExchange(calls, transfer, backward), NeighbourExchange(calls, transfer, forward)});
    }
    return levels;
  }

  static void cycle(CallList& calls, const std::vector<Level>& levels, const amg::Hierarchy& hierarchy) {
    for (const Level& level : levels) {
      relax(calls, level, exchanges_down);
      level.restriction.exchange(calls, transfer_ns * level.points);
    }
    gather_coarsest(calls, hierarchy.coarsest());
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      level->interpolation.exchange(calls, transfer_ns * level->points);
      relax(calls, *level, exchanges_up);
    }
  }

  static void relax(CallList& calls, const Level& level, int exchanges) {
    for (int k = 0; k < exchanges; ++k) {
      level.matrix.exchange(calls, row_ns * level.points);
      calls.compute(relax_ns * level.points);
    }
  }

  // Gathers the coarsest level on the ranks that have a part of it.
  static void gather_coarsest(CallList& calls, const std::map<int, std::int64_t>& bytes) {
    std::vector<std::int64_t> counts;
    int lower_ranks = 0;
    for (const auto& [rank, own] : bytes) {
      counts.push_back(own / 8);
      lower_ranks += rank < calls.rank() ? 1 : 0;
    }
    const bool has_part = bytes.contains(calls.rank());
    const int size = static_cast<int>(bytes.size());
    const calls::CommunicatorRef ranks =
        has_part ? calls.split(0, lower_ranks, size) : calls.split(1, calls.rank() - lower_ranks, calls.ranks() - size);
    if (has_part) calls.allgatherv(ranks, ElementType::doubles, counts);
  }

  Param<Dims<3>> points_{this, 'n', "points", {{10, 10, 10}}, "points of each rank in x, y and z (-n)", GivenSides{}};
  Param<Dims<3>> grid_{this, 'P', "grid", {}, "ranks in x, y and z (-P); auto: as even as possible"};
  Param<std::string> file_{this, "levels", "", "file with the neighbours and message sizes of the coarse levels"};

  mutable std::string table_;  // contents of the --levels file, read once
};

const RegisterMotif<Amg> registered{"amg", Family::application, "conjugate gradients with an algebraic multigrid",
                                    "AMG (hypre), problem 1"};

}  // namespace
}  // namespace stressbench
