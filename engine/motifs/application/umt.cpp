// umt: a time step of UMT2013, a deterministic radiation transport solver that sweeps boxes of zones octant by octant
// (LLNL/UMT v2.0; docs/motifs/umt.md).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/grid.hpp"
#include "core/optional_parameter.hpp"
#include "motifs/application/application.hpp"
#include "motifs/application/umt/domain.hpp"
#include "motifs/application/umt/sweeps.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Request;
using calls::Requests;
using umt::Domain;
using umt::Neighbour;
using umt::Octants;

constexpr int exits_tag = 400;
constexpr int order_tag = 500;
constexpr int flux_tag = 700;  // times the number of the quadrature set, plus that of the octant, from 1
constexpr int sets = 2;        // the second, of the lowest order, is for an acceleration that is off
constexpr std::int64_t order_bytes = 4 * umt::octants;

// Computation between calls in a capture of 3x6x8 zones on 2 ranks, in nanoseconds. A flux is that of a corner, angle
// and group.
constexpr double relink_ns = 31;        // per corner and group: energies, mesh, opacities
constexpr double advance_ns = 5.3;      // per flux: fluxes of the step before, order of the zones
constexpr double step_source_ns = 2.5;  // per flux
constexpr double coupling_ns = 43;      // per corner and group: coefficients of matter and radiation
constexpr double temperature_ns = 26;   // per corner and group: temperatures, mean over the iterations
constexpr double sweep_ns = 13.8;       // per flux
constexpr double moments_ns = 0.77;     // per flux: sums over angles

std::int64_t flux_bytes(std::int64_t corners, std::int64_t angles, std::int64_t groups) {
  return 8 * corners * angles * groups;
}

// Each of two neighbours sends the other one's signs for half of the corners: one int for each angle and corner.
std::int64_t exits_bytes(std::int64_t corners, std::int64_t angles) {
  return 4 * corners / 2 * static_cast<std::int64_t>(umt::octants) * angles;
}

// The octants of an order that are in a set.
std::vector<int> chosen(const umt::SweepOrder& order, const Octants& octants) {
  std::vector<int> found;
  for (const int octant : order) {
    if (octants[static_cast<std::size_t>(octant)]) found.push_back(octant);
  }
  return found;
}

// Fluxes on the faces that a rank shares, in the angles of one quadrature set: a persistent message for each octant and
// neighbour. A single rank makes no calls.
class BoundaryFluxes {
 public:
  // `set` from 1, `angles` of an octant.
  BoundaryFluxes(CallList& calls, const Domain& domain, int set, std::int64_t angles, std::int64_t groups)
      : calls_(calls),
        domain_(domain),
        set_(set),
        angles_(angles),
        groups_(groups),
        requests_(calls.requests(static_cast<int>(umt::octants * domain.neighbours().size()))) {}

  // rt/findexit.F90 and rt/initcomm.F90 of Teton.
  void create() const {
    barrier();
    const Requests exits = calls_.requests(2);
    for (const Neighbour& neighbour : domain_.neighbours()) {
      calls_.irecv(exits[1], neighbour.rank, exits_tag, exits_bytes(neighbour.corners, angles_));
      calls_.isend(exits[0], neighbour.rank, exits_tag, exits_bytes(neighbour.corners, angles_));
      calls_.wait_all(exits);
    }
    barrier();
    for_each_message(all, [&](Request request, const Neighbour& neighbour, int octant) {
      const int tag = flux_tag * set_ + octant + 1;
      const std::int64_t bytes = flux_bytes(neighbour.corners, angles_, groups_);
      if (neighbour.is_sent(octant)) {
        calls_.send_init(request, neighbour.rank, tag, bytes);
      } else {
        calls_.receive_init(request, neighbour.rank, tag, bytes);
      }
    });
    barrier();
  }

  // rt/SweepScheduler.F90
  void exchange_orders() const {
    const std::vector<Neighbour>& neighbours = domain_.neighbours();
    const auto count = static_cast<int>(neighbours.size());
    const Requests received = calls_.requests(count);
    const Request sent = calls_.requests(1)[0];
    for (int k = 0; k < count; ++k) calls_.irecv(received[k], rank_of(k), order_tag, order_bytes);
    for (int k = 0; k < count; ++k) {
      calls_.isend(sent, rank_of(k), order_tag, order_bytes);
      calls_.wait(sent);
    }
    barrier();
    for (int k = 0; k < count; ++k) calls_.wait(received[k]);
  }

  // All fluxes at once, before a temperature iteration.
  void exchange_all() const {
    start_receives(Octants{}.set());
    exchange(all, [](const Neighbour& neighbour) { return neighbour.order; });
  }

  // snac/snflwxyz.F90: the rank sweeps some octants in its order, and exchanges fluxes after each.
  void sweep(const Octants& octants, double octant_ns) const {
    start_receives(octants);
    const std::vector<int> own = chosen(domain_.order(), octants);
    for (std::size_t place = 0; place < own.size(); ++place) {
      calls_.compute(octant_ns);
      exchange(std::array{own[place]},
               [&](const Neighbour& neighbour) { return std::array{chosen(neighbour.order, octants)[place]}; });
    }
  }

  void free() const {
    for_each_message(all, [&](Request request, const Neighbour&, int) { calls_.free_request(request); });
  }

 private:
  static constexpr umt::SweepOrder all{0, 1, 2, 3, 4, 5, 6, 7};

  void barrier() const {
    if (calls_.ranks() > 1) calls_.barrier(calls_.all_ranks());
  }
  int rank_of(int neighbour) const { return domain_.neighbours()[static_cast<std::size_t>(neighbour)].rank; }

  Request request_of(int octant, std::size_t neighbour) const {
    return requests_[octant * static_cast<int>(domain_.neighbours().size()) + static_cast<int>(neighbour)];
  }

  // Calls visit(request, neighbour, octant) for each message of these octants.
  template <class OctantList, class Visit>
  void for_each_message(const OctantList& octants, Visit visit) const {
    for (const int octant : octants) {
      for (std::size_t k = 0; k < domain_.neighbours().size(); ++k)
        visit(request_of(octant, k), domain_.neighbours()[k], octant);
    }
  }

  // rt/InitExchange.F90
  void start_receives(const Octants& octants) const {
    barrier();
    for_each_message(chosen(all, octants), [&](Request request, const Neighbour& neighbour, int octant) {
      if (!neighbour.is_sent(octant)) calls_.start(request);
    });
    barrier();
  }

  // rt/exchange.F90: sends the fluxes of `sent`, and takes those of octants_from(neighbour).
  template <class OctantList, class OctantsFrom>
  void exchange(const OctantList& sent, OctantsFrom octants_from) const {
    for_each_message(sent, [&](Request request, const Neighbour& neighbour, int octant) {
      if (neighbour.is_sent(octant)) calls_.start(request);
    });
    for_each_message(sent, [&](Request request, const Neighbour& neighbour, int octant) {
      if (neighbour.is_sent(octant)) calls_.wait(request);
    });
    for (std::size_t k = 0; k < domain_.neighbours().size(); ++k) {
      const Neighbour& neighbour = domain_.neighbours()[k];
      for (const int octant : octants_from(neighbour)) {
        if (!neighbour.is_sent(octant)) calls_.wait(request_of(octant, k));
      }
    }
  }

  CallList& calls_;
  const Domain& domain_;
  int set_;
  std::int64_t angles_;
  std::int64_t groups_;
  Requests requests_;
};

struct Even {
  static constexpr std::string_view words = "even";
  static bool holds(std::int64_t value) { return value > 0 && value % 2 == 0; }
};

class Umt final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    Traffic sum = calls_of(0, ranks).traffic(scale());  // collectives and computation are those of every rank
    sum.collective_bytes *= ranks;
    sum.messages = 0;
    sum.message_bytes = 0;
    const Dims<3> grid = dims_for(*grid_, ranks);
    const std::int64_t fluxes = flux_messages();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t faces = shared_faces(grid, axis);
      if (faces == 0) continue;  // `check` bounds only messages that there are: the product could exceed 64 bits
      const std::int64_t corners = umt::corners_on_face(*zones_, axis);
      sum.messages += faces * (fluxes + 2 * sets * 2);
      sum.message_bytes += faces * (fluxes * flux_bytes(corners, angles(), *groups_) + sets * 2 * order_bytes +
                                    2 * exits_bytes(corners, angles()) + 2 * exits_bytes(corners, 1));
    }
    return sum;
  }

  void check_ranks(int ranks) const override {
    if (grid_->chosen()) check_dims("grid", *grid_, ranks);
    constexpr double most_zones = std::numeric_limits<int>::max();
    if (zones() > most_zones) reject("zones", "{} are too many: at most {:.0f} on a rank", zones_.text(), most_zones);
    for (const Parameter* option :
         {static_cast<const Parameter*>(&polar_), static_cast<const Parameter*>(&azimuthal_)}) {
      if (order_->has_value() && option->was_given())
        reject(option->name(), "a quadrature of --order has no such angles; use one or the other");
    }
    const auto stated = std::ssize(sweeps_->temperature_iterations);
    if (stated > *temperature_iterations_) {
      reject("sweeps", "{} temperature iterations, but --temperature-iterations is {}", stated,
             *temperature_iterations_);
    }
    // All other messages are less, so that the sum fits 64 bits.
    if (const double bytes = bytes_of_fluxes(ranks); bytes > 0x1p62) {
      reject("zones", "{} on each of {} ranks send fluxes of {:.2g} bytes in a time step; at most 2^62 (4.6e+18)",
             zones_.text(), ranks, bytes);
    }
  }

  void write(CallList& calls) const override {
    const Domain domain(*zones_, dims_for(*grid_, calls.ranks()), calls.rank());
    const BoundaryFluxes fluxes(calls, domain, 1, angles(), *groups_);
    const BoundaryFluxes unused(calls, domain, 2, 1, 1);
    calls.compute(relink_ns * corner_groups());
    reduce(calls, ReduceOp::sum, ElementType::doubles);
    calls.compute(advance_ns * all_fluxes());
    fluxes.create();
    unused.create();
    calls.compute(step_source_ns * all_fluxes());
    fluxes.exchange_orders();
    unused.exchange_orders();
    calls.compute(coupling_ns * corner_groups());
    const auto& sweeps = sweeps_->temperature_iterations;
    for (std::size_t k = 0; k < sweeps.size(); ++k) {
      const std::int64_t times = k + 1 < sweeps.size() ? 1 : *temperature_iterations_ - static_cast<std::int64_t>(k);
      calls.repeat(times, [&] { iterate(calls, fluxes, sweeps[k]); });
    }
    for (int k = 0; k < 2; ++k) reduce(calls, ReduceOp::sum, ElementType::doubles, 2 * *groups_);  // escaped, incident
    fluxes.free();
    unused.free();
    edit(calls);
    choose_time_step(calls);
  }

 private:
  // Pairs of ranks that share a face perpendicular to `axis`.
  static std::int64_t shared_faces(const Dims<3>& grid, std::size_t axis) {
    return grid.ranks() / grid[axis] * (grid[axis] - 1);
  }

  // Of all ranks in a time step. Not an integer, which could overflow.
  double bytes_of_fluxes(int ranks) const {
    const Dims<3> grid = dims_for(*grid_, ranks);
    double corners = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      corners +=
          static_cast<double>(shared_faces(grid, axis)) * static_cast<double>(umt::corners_on_face(*zones_, axis));
    }
    return corners * static_cast<double>(flux_messages() * flux_bytes(1, angles(), *groups_));
  }

  static void reduce(CallList& calls, ReduceOp op, ElementType type, std::int64_t count = 1) {
    calls.allreduce(calls.all_ranks(), op, type, count);
  }

  // A temperature iteration of control/rtmainsn.F90.
  void iterate(CallList& calls, const BoundaryFluxes& fluxes, const std::vector<Octants>& flux_iterations) const {
    fluxes.exchange_all();
    for (const Octants& octants : flux_iterations) {
      fluxes.sweep(octants, sweep_ns * all_fluxes() / umt::octants);
      reduce(calls, ReduceOp::max, ElementType::doubles, umt::octants);  // rt/testFluxConv.F90
    }
    calls.compute(moments_ns * all_fluxes());
    reduce(calls, ReduceOp::max, ElementType::doubles);  // rt/rtconi.F90
    reduce(calls, ReduceOp::max, ElementType::doubles);
    reduce(calls, ReduceOp::max, ElementType::ints);
    calls.compute(temperature_ns * corner_groups());
    reduce(calls, ReduceOp::sum, ElementType::doubles);  // rt/rtconv.F90
    reduce(calls, ReduceOp::sum, ElementType::doubles);
    reduce(calls, ReduceOp::max, ElementType::doubles);
    reduce(calls, ReduceOp::max, ElementType::ints);
  }

  // control/rtedit.F90
  static void edit(CallList& calls) {
    calls.repeat(2, [&] { reduce(calls, ReduceOp::max, ElementType::doubles); });
    calls.repeat(7, [&] { reduce(calls, ReduceOp::sum, ElementType::doubles); });
    calls.repeat(4, [&] { reduce(calls, ReduceOp::max, ElementType::ints); });
    reduce(calls, ReduceOp::max, ElementType::doubles);
  }

  // control/dtnew.F90
  static void choose_time_step(CallList& calls) {
    reduce(calls, ReduceOp::max, ElementType::doubles);
    reduce(calls, ReduceOp::min, ElementType::doubles);
    reduce(calls, ReduceOp::max, ElementType::doubles);
    reduce(calls, ReduceOp::max, ElementType::ints);
  }

  // Messages of fluxes through a shared face in a time step: each octant crosses it in one direction.
  std::int64_t flux_messages() const {
    const auto& sweeps = sweeps_->temperature_iterations;
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < *temperature_iterations_; ++k) {
      sum += umt::octants;
      for (const Octants& octants : sweeps[std::min(static_cast<std::size_t>(k), sweeps.size() - 1)]) {
        sum += static_cast<std::int64_t>(octants.count());
      }
    }
    return sum;
  }

  // Angles of an octant.
  std::int64_t angles() const { return order_->has_value() ? **order_ * (**order_ + 2) / 8 : *polar_ * *azimuthal_; }
  double zones() const {
    const auto [x, y, z] = zones_->sides;
    return static_cast<double>(x) * y * z;
  }
  // In UMT's decks a tenth of the zones are divided into seven.
  double corner_groups() const { return 8 * (zones() + 6 * std::ceil(zones() / 10)) * static_cast<double>(*groups_); }
  double all_fluxes() const { return corner_groups() * umt::octants * static_cast<double>(angles()); }

  Param<Dims<3>> zones_{this, 'n', "zones", {{3, 6, 8}}, "zones of each rank in x, y and z (numzones)", GivenSides{}};
  Param<Dims<3>> grid_{this, 'P', "grid", {}, "ranks in x, y and z (sms); auto: as even as possible"};
  Param<std::int64_t> groups_{this, 'g', "groups", 16, "energy groups", Positive{}, AtMost{10'000}};
  Param<std::int64_t> polar_{this,       "polar",   8, "polar angles of an octant of a product quadrature",
                             Positive{}, AtMost{18}};
  Param<std::int64_t> azimuthal_{this,       "azimuthal", 4, "azimuthal angles of an octant of a product quadrature",
                                 Positive{}, AtMost{22}};
  Param<std::optional<std::int64_t>> order_{this, "order", std::nullopt,
                                            "order of a level-symmetric quadrature; auto: a product quadrature",
                                            AutoOr{Even{}, AtMost{20}}};
  Param<std::int64_t> temperature_iterations_{
      this, "temperature-iterations", 4, "temperature iterations of a time step", Positive{}, AtMost{20}};
  Param<umt::Sweeps> sweeps_{this, "sweeps", umt::read_sweeps("all,all/all"),
                             "octants of each flux iteration (all, or numbers from 1 to 8), separated by commas; "
                             "temperature iterations are separated by /, and the last of them is repeated"};
};

const RegisterMotif<Umt> registered{
    "umt", Family::application, "a time step of radiation transport: sweeps of octants in boxes of zones", "UMT2013"};

}  // namespace
}  // namespace stressbench
