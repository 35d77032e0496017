// mcb: time steps of MCB, photons that cross between the domains of a 2-D mesh, and how the ranks find out that all of
// them are done (LLNL's Monte Carlo Benchmark 1.0.3, CORAL; docs/motifs/mcb.md).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "calls/rank_grid.hpp"
#include "core/distribution.hpp"
#include "core/random.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::Border;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Request;
using calls::Requests;

constexpr std::int64_t photon_bytes = 120;
constexpr std::int64_t buffer_photons = 5000;  // of a full buffer
constexpr std::int64_t report_bytes = 16;      // numbers of photons created and completed
constexpr std::int64_t flag_bytes = 4;
constexpr int photon_tag = 55;
constexpr int report_tag = 6432;
constexpr int check_tag = 6502;  // all photons may be done
constexpr int end_tag = 7294;    // all photons are done
constexpr int sums = 4;          // photons kept, their energy, energy emitted, energy of the photons of the step before

constexpr int max_steps = 10;         // of a run
constexpr double step_path = 0.1;     // path of a photon in a time step
constexpr double least_sigma = 1e-6;  // as good as none; the model divides by sigma-a
constexpr double inner_low = 0.1;     // the inner rectangle of --multi-sigma, relative to the sides of the mesh
constexpr double inner_high = 0.9;
constexpr double inner_opacity = 0.05;  // relative to that outside

// Computation in nanoseconds: combing or emitting a photon; a track, which ends where the photon scatters, leaves its
// zone or ends its step.
constexpr double photon_ns = 20;
constexpr double track_ns = 250;

// The place of the first photon has their number.
constexpr std::int64_t message_bytes(std::int64_t photons) { return (photons + 1) * photon_bytes; }

// The part of the mesh with one opacity. Photons and their energy are means of a zone.
struct Material {
  double share;       // of the zones
  double absorption;  // per unit of length
  double scattering;
  double energy = 0;   // at the beginning of the step
  double photons = 0;  // during the step
  double census = 0;   // those of them from the step before; the others are emitted at any time of the step
  double combed = 0;   // share of the energy whose photons the comb may remove or split

  double path() const { return step_path * (census + (photons - census) / 2); }  // of all photons
  // The probability that a photon that came through a face leaves through it in the same step: between the limits of
  // few scatters and of diffusion (docs/motifs/mcb.md).
  double return_probability() const { return 1 - 1 / std::sqrt(1 + 0.2 * scattering * step_path); }
};
using Materials = std::array<Material, 2>;  // outside of the inner rectangle, and in it

// Combs the photons of the step before and emits new ones, so that there are about `wanted` in a zone. One stays in
// each zone that has any, and each zone emits at least one.
void begin_step(Materials& materials, int step, double wanted) {
  const double emitted = step_path * (1 + std::cos(step * step_path)) / 2;
  double kept = 0;
  double energy = 0;
  double combed_energy = 0;
  for (Material& material : materials) {
    material.census = 1 - std::exp(-material.photons);
    material.combed = material.photons > 0 ? 1 - material.census / material.photons : 0.0;
    kept += material.share * material.census;
    energy += material.share * material.energy;
    combed_energy += material.share * material.energy * material.combed;
  }
  const double source = wanted * emitted / (emitted + energy);
  const double photons_for_energy = std::max(wanted - kept, 0.0) / (emitted + combed_energy);
  for (Material& material : materials) {
    material.census += photons_for_energy * material.energy * material.combed * material.combed;
    material.photons = material.census + (source < 1.5 ? 1.0 : source);
    const double depth = material.absorption * step_path;
    material.energy = material.energy * std::exp(-depth) - emitted * std::expm1(-depth) / depth;
  }
}

// A face that a domain shares with another one.
struct Face {
  int rank;                       // of the other domain
  int lower_rank;                 // of the two
  std::size_t axis;               // along which they are neighbours
  std::array<double, 2> lengths;  // in each material
};

// The mesh, with a domain for each rank, x fastest.
class Mesh {
 public:
  Mesh(const Dims<2>& domains, const std::array<double, 2>& extent, bool has_inner)
      : domains_(domains), extent_(extent), has_inner_(has_inner) {}

  double side(std::size_t axis) const { return extent_[axis] / domains_[axis]; }  // of a domain
  double face_lengths() const { return (domains_[0] - 1) * extent_[1] + (domains_[1] - 1) * extent_[0]; }

  // The faces below, above, on the left and on the right, which is MCB's order.
  std::vector<Face> faces_of(int rank) const {
    const calls::RankGrid<2> grid(domains_, rank);
    std::vector<Face> faces;
    for (const std::size_t axis : {std::size_t{1}, std::size_t{0}}) {
      for (const int direction : {-1, 1}) {
        const int other = grid.neighbour(axis, direction, Border::closed);
        if (other < 0) continue;
        const std::size_t along = 1 - axis;
        const double place = side(axis) * (grid.coordinates()[axis] + (direction > 0 ? 1 : 0));
        const bool is_inner = place > inner_low * extent_[axis] && place < inner_high * extent_[axis];
        const double inner = is_inner ? inner_length(along, grid.coordinates()[along]) : 0.0;
        faces.push_back({other, std::min(rank, other), axis, {side(along) - inner, inner}});
      }
    }
    return faces;
  }

  // The share of a domain that is in the inner rectangle.
  double inner_share(int rank) const {
    const calls::RankGrid<2> grid(domains_, rank);
    return inner_length(0, grid.coordinates()[0]) * inner_length(1, grid.coordinates()[1]) / (side(0) * side(1));
  }

 private:
  double inner_length(std::size_t axis, int position) const {
    const double low = std::max(side(axis) * position, inner_low * extent_[axis]);
    const double high = std::min(side(axis) * (position + 1), inner_high * extent_[axis]);
    return has_inner_ ? std::max(high - low, 0.0) : 0.0;
  }

  Dims<2> domains_;
  std::array<double, 2> extent_;
  bool has_inner_;
};

// Photons that cross a face in a time step, by generation: first, back again, and so on.
struct Crossings {
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> received;
};

// A number with the Poisson distribution of this mean, or with the normal one where they are close.
std::int64_t drawn_number(double mean, const Draw& position) {
  constexpr double large = 50;
  constexpr std::int64_t most = 200;  // with a smaller mean, no number that can be drawn is larger
  const double unit = random_unit(position);
  if (mean > large) return std::llround(Distribution(Shape::normal, mean, std::sqrt(mean)).quantile(unit));
  std::int64_t number = 0;
  double probability = std::exp(-mean);
  for (double sum = probability; sum < unit && number < most; sum += probability) {
    ++number;
    probability *= mean / static_cast<double>(number);
  }
  return number;
}

// A receive that is always posted: again after each message, until it is cancelled at the end of the time step.
struct Receiver {
  Request request;
  int from;
  int tag;
  std::int64_t capacity;
  std::vector<std::int64_t> arriving;  // bytes of the messages of the time step, in order
  std::size_t taken = 0;

  void post(CallList& calls) const {
    if (taken < arriving.size()) return calls.irecv_up_to(request, from, tag, capacity, arriving[taken]);
    calls.irecv_unmatched(request, from, tag, capacity);
  }
  void restart(CallList& calls, std::vector<std::int64_t> messages) {
    arriving = std::move(messages);
    taken = 0;
    post(calls);
  }
  void wait(CallList& calls) {
    calls.wait(request);
    ++taken;
  }
  void cancel(CallList& calls) const {
    calls.cancel(request);
    calls.wait(request);
  }
};

// The calls of a rank while photons move (IMC::advancePhotonListDD). Reports go up a binary tree of the ranks to rank
// 0, and flags go down.
class Streaming {
 public:
  Streaming(CallList& calls, const std::vector<Face>& faces) : calls_(calls) {
    for (const Face& face : faces)
      photons_.push_back({new_request(), face.rank, photon_tag, message_bytes(buffer_photons), {}});
    for (const int child : {2 * calls.rank() + 1, 2 * calls.rank() + 2}) {
      if (child < calls.ranks()) reports_.push_back({new_request(), child, report_tag, report_bytes, {}});
    }
    if (calls.rank() == 0) return;
    check_ = Receiver{new_request(), (calls.rank() - 1) / 2, check_tag, flag_bytes, {}};
    end_ = new_request();
  }

  // The calls of a time step. Computation: of the photons that are there at its beginning, and of each that arrives.
  void write(const std::vector<Crossings>& faces, std::size_t generations, double first_ns, double arrival_ns) {
    post(faces, generations);
    double computation_ns = first_ns;
    for (std::size_t generation = 0; generation < generations; ++generation) {
      calls_.compute(computation_ns);
      for (std::size_t k = 0; k < faces.size(); ++k) {
        for (const std::int64_t bytes : messages_of(faces[k].sent[generation]))
          send(photons_[k].from, photon_tag, bytes);
      }
      report(generation > 0);
      computation_ns = 0;
      for (std::size_t k = 0; k < faces.size(); ++k) {
        const std::int64_t photons = faces[k].received[generation];
        computation_ns += arrival_ns * static_cast<double>(photons);
        for (std::size_t left = messages_of(photons).size(); left > 0; --left) take(photons_[k]);
      }
    }
    for (std::size_t level = levels_below(calls_.rank()); level > 0; --level) report(true);
    check_and_end();
    for (const Receiver& photons : photons_) photons.cancel(calls_);
    if (check_) check_->cancel(calls_);
    for (const Receiver& reports : reports_) reports.cancel(calls_);
    if (sends_used_ > 0) calls_.wait_all({sends_.first, sends_used_});
    sends_used_ = 0;
  }

 private:
  Request new_request() { return calls_.requests(1)[0]; }

  // Bytes of the messages with these photons: full buffers, and the rest.
  static std::vector<std::int64_t> messages_of(std::int64_t photons) {
    std::vector<std::int64_t> messages;
    for (; photons > 0; photons -= buffer_photons) messages.push_back(message_bytes(std::min(photons, buffer_photons)));
    return messages;
  }

  // Levels of the tree below a rank.
  std::size_t levels_below(int rank) const {
    std::size_t levels = 0;
    for (std::int64_t child = 2 * std::int64_t{rank} + 1; child < calls_.ranks(); child = 2 * child + 1) ++levels;
    return levels;
  }

  void post(const std::vector<Crossings>& faces, std::size_t generations) {
    for (std::size_t k = 0; k < faces.size(); ++k) {
      std::vector<std::int64_t> all;
      for (const std::int64_t photons : faces[k].received) {
        const std::vector<std::int64_t> messages = messages_of(photons);
        all.insert(all.end(), messages.begin(), messages.end());
      }
      photons_[k].restart(calls_, std::move(all));
    }
    // Each report of a child is added to the next one of its parent.
    for (Receiver& child : reports_)
      child.restart(calls_, std::vector<std::int64_t>(generations + levels_below(child.from), report_bytes));
    if (!check_) return;
    check_->restart(calls_, {flag_bytes});
    calls_.irecv(end_, check_->from, end_tag, flag_bytes);
  }

  void take(Receiver& receiver) {
    receiver.wait(calls_);
    receiver.post(calls_);
  }

  void send(int to, int tag, std::int64_t bytes) {
    if (sends_used_ == sends_.count) {
      const Requests added = calls_.requests(1);
      if (sends_.count == 0) sends_.first = added.first;
      ++sends_.count;
    }
    calls_.isend(sends_[sends_used_++], to, tag, bytes);
  }

  void report(bool adds_those_of_children) {
    for (Receiver& child : reports_) {
      if (adds_those_of_children && child.taken < child.arriving.size()) take(child);
    }
    if (check_) send(check_->from, report_tag, report_bytes);
  }

  void check_and_end() {
    if (check_) check_->wait(calls_);
    for (const Receiver& child : reports_) send(child.from, check_tag, flag_bytes);
    calls_.reduce(calls_.all_ranks(), 0, ReduceOp::sum, ElementType::doubles, 2);
    if (check_) check_->post(calls_);
    if (check_) calls_.wait(end_);
    for (const Receiver& child : reports_) send(child.from, end_tag, flag_bytes);
  }

  CallList& calls_;
  std::vector<Receiver> photons_;  // from each neighbour
  std::vector<Receiver> reports_;  // from each child
  std::optional<Receiver> check_;  // from the parent; rank 0 has none
  Request end_;
  Requests sends_;
  int sends_used_ = 0;
};

class Mcb final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    const Dims<2> domains = domains_for(ranks);
    check_dims("grid", domains, ranks);
    check_side("x-dim", *x_dim_, domains[0]);
    check_side("y-dim", *y_dim_, domains[1]);
  }

  void write(CallList& calls) const override {
    const Mesh mesh(domains_for(calls.ranks()), {*x_dim_, *y_dim_}, *multi_sigma_);
    const double zone_area = mesh.side(0) * mesh.side(1) / zones();
    const std::vector<Face> faces = mesh.faces_of(calls.rank());
    const calls::CommunicatorRef self = calls.split(calls.rank(), 0, 1);
    Streaming streaming(calls, faces);
    Materials materials = all_materials();
    for (int step = 0; step < *cycles_; ++step) {
      begin_step(materials, step, static_cast<double>(*particles_) / zones());
      const Work work = work_of(mesh, materials, calls.rank());
      calls.compute(photon_ns * work.census);
      calls.allreduce(self, ReduceOp::max, ElementType::doubles, *zones_x_ * *zones_y_ + 1);
      for (int k = 0; k < sums; ++k) {
        calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1);
        calls.bcast(self, 0, calls::size_of(ElementType::doubles));
      }
      calls.compute(photon_ns * work.photons);
      if (calls.ranks() == 1) {
        calls.compute(track_ns * work.tracks);
        continue;
      }
      const std::size_t generations = generations_of(materials, zone_area, mesh.face_lengths());
      std::vector<Crossings> crossings;
      for (const Face& face : faces)
        crossings.push_back(crossings_of(face, calls.rank(), materials, zone_area, step, generations));
      // A photon that arrives has half of its tracks left.
      streaming.write(crossings, generations, track_ns * work.tracks, track_ns * work.tracks / work.photons / 2);
    }
  }

 private:
  // Of a rank in a time step.
  struct Work {
    double census = 0;
    double photons = 0;
    double tracks = 0;
  };

  // The most even grid, with the longer side in y, as MCB divides the ranks.
  Dims<2> domains_for(int ranks) const {
    if (grid_->chosen()) return *grid_;
    const Dims<2> even = balanced_dims<2>(ranks);
    return {{even[1], even[0]}};
  }

  static void check_side(const char* parameter, double extent, int domains) {
    constexpr double rounding = 1e-12;  // 0.3 / 3 is less than 0.1
    const double least = domains * step_path;
    if (extent >= least * (1 - rounding)) return;
    // Ten digits: all that a tenth of a number of ranks has.
    reject(parameter, "{} on {} ranks makes domains shorter than {}, a photon's path in a time step; at least {:.10g}",
           extent, domains, step_path, least);
  }

  double zones() const { return static_cast<double>(*zones_x_ * *zones_y_); }  // of a rank

  Materials all_materials() const {
    const double inner = *multi_sigma_ ? (inner_high - inner_low) * (inner_high - inner_low) : 0.0;
    return {{{1 - inner, *sigma_a_, *sigma_s_}, {inner, inner_opacity * *sigma_a_, inner_opacity * *sigma_s_}}};
  }

  Work work_of(const Mesh& mesh, const Materials& materials, int rank) const {
    const double inner_share = mesh.inner_share(rank);
    // Zones that a photon leaves on a path of one, in directions that are isotropic in three dimensions.
    const double zones_left =
        (static_cast<double>(*zones_x_) / mesh.side(0) + static_cast<double>(*zones_y_) / mesh.side(1)) / 2;
    Work work;
    for (std::size_t k = 0; k < materials.size(); ++k) {
      const Material& material = materials[k];
      const double count = zones() * (k == 0 ? 1 - inner_share : inner_share);
      work.census += count * material.census;
      work.photons += count * material.photons;
      work.tracks += count * (material.photons + material.path() * (material.scattering + zones_left));
    }
    return work;
  }

  // Photons that cross a unit of length from one side, all generations together: a quarter of the paths in an area.
  static double crossing_density(const Material& material, double zone_area) { return material.path() / zone_area / 4; }

  // As many as it takes until less than one photon of all ranks is expected to cross again.
  static std::size_t generations_of(const Materials& materials, double zone_area, double face_lengths) {
    std::size_t most = 1;
    for (const Material& material : materials) {
      const double returns = material.return_probability();
      double crossing = 2 * crossing_density(material, zone_area) * material.share * face_lengths * (1 - returns);
      std::size_t generations = 1;
      for (; crossing * returns >= 1; crossing *= returns) ++generations;
      most = std::max(most, generations);
    }
    return most;
  }

  // Depends on the face only, so that the ranks on both sides get the same numbers.
  Crossings crossings_of(const Face& face, int rank, const Materials& materials, double zone_area, int step,
                         std::size_t generations) const {
    std::array<std::vector<std::int64_t>, 2> crossing;  // from the lower rank, and from the other one
    crossing.fill(std::vector<std::int64_t>(generations));
    for (std::size_t k = 0; k < materials.size(); ++k) {
      const double returns = materials[k].return_probability();
      const double first = crossing_density(materials[k], zone_area) * face.lengths[k] * (1 - returns);
      Draw position{.seed = static_cast<std::uint64_t>(*photon_seed_),
                    .stream = static_cast<std::uint32_t>(2 * static_cast<std::size_t>(step) + k),
                    .rank = static_cast<std::uint32_t>(2 * static_cast<std::size_t>(face.lower_rank) + face.axis)};
      std::array<std::int64_t, 2> before{};
      for (std::size_t generation = 0; generation < generations; ++generation) {
        std::array<std::int64_t, 2> now{};
        for (std::size_t from = 0; from < 2; ++from, ++position.execution) {
          const std::int64_t arrived = before[1 - from];
          now[from] = drawn_number(generation == 0 ? first : returns * static_cast<double>(arrived), position);
          if (generation > 0) now[from] = std::min(now[from], arrived);
          crossing[from][generation] += now[from];
        }
        before = now;
      }
    }
    const std::size_t own = rank == face.lower_rank ? 0 : 1;
    return {crossing[own], crossing[1 - own]};
  }

  static constexpr std::int64_t max_zones = 1 << 15;
  Param<std::int64_t> particles_{this,
                                 'p',
                                 "particles",
                                 20'000,
                                 "photons of each rank in a time step (--numParticles)",
                                 Positive{},
                                 AtMost{100'000'000}};
  Param<std::int64_t> zones_x_{
      this, 'x', "zones-x", 100, "zones of each rank in x (--nZonesX)", Positive{}, AtMost{max_zones}};
  Param<std::int64_t> zones_y_{
      this, 'y', "zones-y", 100, "zones of each rank in y (--nZonesY)", Positive{}, AtMost{max_zones}};
  Param<double> x_dim_{this, "x-dim", 16.0, "extent of the whole mesh in x (--xDim)", AtLeast{step_path}, AtMost{1e6}};
  Param<double> y_dim_{this, "y-dim", 16.0, "extent of the whole mesh in y (--yDim)", AtLeast{step_path}, AtMost{1e6}};
  Param<double> sigma_a_{
      this,          "sigma-a", 1.0, "absorptions of a photon on a path of one (--sigmaA)", AtLeast{least_sigma},
      AtMost{1000.0}};
  Param<double> sigma_s_{
      this, "sigma-s", 20.0, "scatters of a photon on a path of one (--sigmaS)", AtLeast{least_sigma}, AtMost{1000.0}};
  Param<bool> multi_sigma_{this, "multi-sigma", "a twentieth of both in an inner rectangle (--multiSigma)"};
  Param<Dims<2>> grid_{
      this, 'g', "grid", {}, "ranks in x and y (--nMpiTasksX, --nMpiTasksY); auto: as even as possible, more in y"};
  Param<std::int64_t> cycles_{
      this, 'n', "cycles", max_steps, "time steps, from the first on; a run has 10", Positive{}, AtMost{max_steps}};
  Param<std::int64_t> photon_seed_{this, "photon-seed", 1,
                                   "seed of the numbers of photons that cross from rank to rank", AtMost{int_max}};
};

const RegisterMotif<Mcb> registered{"mcb", Family::application,
                                    "Monte Carlo photons that cross between the domains of a 2-D mesh", "MCB (CORAL)"};

}  // namespace
}  // namespace stressbench
