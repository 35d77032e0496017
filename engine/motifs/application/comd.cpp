// comd: time steps of CoMD, molecular dynamics of copper in link cells (ECP-copa/CoMD, src-mpi; docs/motifs/comd.md).

#include <algorithm>
#include <array>
#include <cmath>

#include "calls/rank_grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

enum class Potential { eam, lj };

namespace {

using calls::Border;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

constexpr std::int64_t atom_bytes = 56;               // two ints, position, momentum
constexpr std::int64_t force_bytes = 8;               // the derivative of the embedding energy
constexpr std::int64_t max_atoms_per_link_cell = 64;  // capacity of a link cell
constexpr double eam_cutoff = 4.95;                   // Angstrom; of Cu_u6.eam
constexpr double lj_cutoff = 2.5 * 2.315;

// Computation per atom in the reference capture (EAM), in nanoseconds: moving an atom and completing its force; its
// force up to the exchange; packing or unpacking an atom, and packing or unpacking its force.
constexpr double move_ns = 830;
constexpr double force_ns = 975;
constexpr double pack_atom_ns = 30;
constexpr double pack_force_ns = 2.5;

// The planes of the crystal in one dimension of a rank's box, half a unit cell apart, counted by the parity of their
// number. A face-centred cubic crystal has atoms where the sum of the three plane numbers is even.
struct Planes {
  std::array<std::int64_t, 2> count{};
  void add(std::int64_t plane) { ++count[static_cast<std::size_t>(plane % 2)]; }
  Planes operator+(const Planes& other) const { return {{count[0] + other.count[0], count[1] + other.count[1]}}; }
};

std::int64_t atoms_in(const Planes& x, const Planes& y, const Planes& z) noexcept {
  const auto even = [](const Planes& a, const Planes& b) { return a.count[0] * b.count[0] + a.count[1] * b.count[1]; };
  const auto odd = [](const Planes& a, const Planes& b) { return a.count[0] * b.count[1] + a.count[1] * b.count[0]; };
  return even(x, y) * z.count[0] + odd(x, y) * z.count[1];
}

// The planes of a rank and of its first and its last layer of link cells.
struct Layer {
  Planes all;
  Planes first;
  Planes last;
};

// One dimension of the crystal, divided among `ranks` ranks.
class Axis {
 public:
  Axis(std::int64_t cells, int ranks, double lattice, double cutoff)
      : cells_(cells),
        lattice_(lattice),
        extent_(static_cast<double>(cells) * lattice / ranks),
        link_cells_(static_cast<std::int64_t>(extent_ / cutoff)) {}

  std::int64_t link_cells() const noexcept { return link_cells_; }

  // Positions and borders are computed as CoMD computes them: an atom on a border must fall on the same side.
  Layer layer(int position) const {
    const double low = position * extent_;
    const double high = (position + 1) * extent_;
    const double per_cell = 1.0 / (extent_ / static_cast<double>(link_cells_));
    const auto begin = static_cast<std::int64_t>(std::floor(low / lattice_));
    const auto end = std::min(cells_, static_cast<std::int64_t>(std::ceil(high / lattice_)));
    Layer layer;
    for (std::int64_t plane = 2 * begin; plane < 2 * end; ++plane) {
      const double coordinate = (static_cast<double>(plane / 2) + (plane % 2 == 0 ? 0.25 : 0.75)) * lattice_;
      if (coordinate < low || coordinate >= high) continue;
      const auto cell = std::min(static_cast<std::int64_t>(std::floor((coordinate - low) * per_cell)), link_cells_ - 1);
      layer.all.add(plane);
      if (cell == 0) layer.first.add(plane);
      if (cell == link_cells_ - 1) layer.last.add(plane);
    }
    return layer;
  }

 private:
  std::int64_t cells_;
  double lattice_;
  double extent_;  // length of a rank's box
  std::int64_t link_cells_;
};

class CoMD final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    if (grid_->chosen()) check_dims("grid", *grid_, ranks);
    const std::array<Axis, 3> axes = axes_on(ranks);
    const std::array cells{*nx_, *ny_, *nz_};
    const Dims<3> dims = dims_for(*grid_, ranks);
    for (std::size_t k = 0; k < 3; ++k) {
      if (axes[k].link_cells() >= 2) continue;
      const double min_cells = std::ceil(2 * cutoff() * dims[k] / *lattice_);
      reject(parameter_names[k], "{} cells of {} A on {} ranks have no two link cells of {} A each; at least {}",
             cells[k], *lattice_, dims[k], cutoff(), min_cells);
    }
  }

  void write(CallList& calls) const override {
    const Faces faces(*this, calls);
    calls.repeat(*steps_, [&] {
      calls.compute(move_ns * faces.atoms);
      faces.exchange(calls, atom_bytes, faces.atom_buffer_bytes, pack_atom_ns);
      calls.compute(force_ns * faces.atoms);
      if (*potential_ == Potential::eam) faces.exchange(calls, force_bytes, faces.force_buffer_bytes, pack_force_ns);
    });
    if (!*energies_) return;
    calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 2);
    calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::ints, 1);
  }

 private:
  static constexpr std::array parameter_names{"nx", "ny", "nz"};

  // The atoms sent through the six faces, one axis after the other: atoms received along one axis are passed on along
  // the next.
  struct Faces {
    struct Face {
      int down;  // neighbouring ranks
      int up;
      std::array<std::int64_t, 2> sent;      // atoms sent down and up
      std::array<std::int64_t, 2> received;  // atoms received from up and from down
    };
    std::array<Face, 3> faces;
    double atoms;
    std::int64_t atom_buffer_bytes;  // receive buffer in bytes
    std::int64_t force_buffer_bytes;

    Faces(const CoMD& comd, const CallList& calls) {
      const calls::RankGrid<3> grid(dims_for(*comd.grid_, calls.ranks()), calls.rank());
      const std::array<Axis, 3> axes = comd.axes_on(calls.ranks());
      std::array<Planes, 3> known_planes;  // own planes and those received so far
      for (std::size_t k = 0; k < 3; ++k) known_planes[k] = axes[k].layer(grid.coordinates()[k]).all;
      atoms = static_cast<double>(atoms_in(known_planes[0], known_planes[1], known_planes[2]));
      for (std::size_t k = 0; k < 3; ++k) {
        const int side = grid.side(k);
        const Layer own = axes[k].layer(grid.coordinates()[k]);
        const Planes from_up = axes[k].layer((grid.coordinates()[k] + 1) % side).first;
        const Planes from_down = axes[k].layer((grid.coordinates()[k] + side - 1) % side).last;
        const auto atoms_of = [&](const Planes& planes) {
          std::array<Planes, 3> planes_of_axes = known_planes;
          planes_of_axes[k] = planes;
          return atoms_in(planes_of_axes[0], planes_of_axes[1], planes_of_axes[2]);
        };
        faces[k] = {grid.neighbour(k, -1, Border::periodic),
                    grid.neighbour(k, 1, Border::periodic),
                    {atoms_of(own.first), atoms_of(own.last)},
                    {atoms_of(from_up), atoms_of(from_down)}};
        known_planes[k] = known_planes[k] + from_up + from_down;
      }
      // CoMD sizes all buffers for the larger of the faces in y and z.
      const std::int64_t x = axes[0].link_cells();
      const std::int64_t y = axes[1].link_cells();
      const std::int64_t z = axes[2].link_cells();
      atom_buffer_bytes = std::max((x + 2) * (z + 2), (x + 2) * (y + 2)) * 2 * max_atoms_per_link_cell * atom_bytes;
      force_buffer_bytes = std::max((x + 2) * z, (x + 2) * (y + 2)) * max_atoms_per_link_cell * force_bytes;
    }

    void exchange(CallList& calls, std::int64_t bytes, std::int64_t buffer_bytes, double pack_ns) const {
      for (const Face& face : faces) {
        calls.compute(pack_ns * static_cast<double>(face.sent[0] + face.sent[1]));
        calls.sendrecv(face.down, 0, bytes * face.sent[0], face.up, 0, buffer_bytes, bytes * face.received[0]);
        calls.sendrecv(face.up, 0, bytes * face.sent[1], face.down, 0, buffer_bytes, bytes * face.received[1]);
        calls.compute(pack_ns * static_cast<double>(face.received[0] + face.received[1]));
      }
    }
  };

  double cutoff() const { return *potential_ == Potential::eam ? eam_cutoff : lj_cutoff; }
  std::array<Axis, 3> axes_on(int ranks) const {
    const Dims<3> dims = dims_for(*grid_, ranks);
    const auto axis = [&](std::int64_t cells, int side) { return Axis(cells, side, *lattice_, cutoff()); };
    return {axis(*nx_, dims[0]), axis(*ny_, dims[1]), axis(*nz_, dims[2])};
  }

  static constexpr std::int64_t max_value = 1 << 20;
  Param<std::int64_t> nx_{this, 'x', "nx", 20, "unit cells of the crystal in x", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 20, "unit cells in y", Positive{}, AtMost{max_value}};
  Param<std::int64_t> nz_{this, 'z', "nz", 20, "unit cells in z", Positive{}, AtMost{max_value}};
  Param<Dims<3>> grid_{this, "grid", {}, "ranks in x, y and z (-i -j -k of CoMD); auto: as even as possible"};
  Param<Potential> potential_{this, "potential", Potential::eam, "potential of the atoms; lj exchanges no forces"};
  Param<double> lattice_{this, 'l', "lattice", 3.615, "side of a unit cell, in Angstrom", Positive{}, AtMost{100.0}};
  Param<std::int64_t> steps_{
      this, 'n', "steps", 1, "time steps in each iteration of the motif", Positive{}, AtMost{max_value}};
  Param<bool> energies_{this, "energies", "end the steps with the sums of energies and atoms, as in each report"};
};

const RegisterMotif<CoMD> registered{"comd", Family::application, "molecular dynamics in link cells, periodic in 3-D",
                                     "CoMD"};

}  // namespace
}  // namespace stressbench
