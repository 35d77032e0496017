// halo3d: exchange of cell layers with the 6, 18 or 26 neighbours of a block of a 3-D mesh (docs/motifs/halo3d.md).

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "calls/rank_grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

// The stencil by its number of points. Value: in how many dimensions at once a neighbour may be offset.
enum class Stencil { faces = 1, edges = 2, corners = 3 };
template <>
struct Names<Stencil> {
  static constexpr std::array values{std::pair{std::string_view{"7"}, Stencil::faces},
                                     std::pair{std::string_view{"19"}, Stencil::edges},
                                     std::pair{std::string_view{"27"}, Stencil::corners}};
};

namespace {

using calls::Border;
using calls::CallList;
using calls::Requests;
using Cells = std::array<std::int64_t, 3>;
using Offset = std::array<int, 3>;

int tag_of(const Offset& offset) { return (offset[0] + 1) + 3 * (offset[1] + 1) + 9 * (offset[2] + 1); }
Offset opposite(const Offset& offset) { return {-offset[0], -offset[1], -offset[2]}; }

// Directions to a stencil's neighbours: faces, then edges, then corners, each with x varying fastest.
std::vector<Offset> directions_of(Stencil stencil) {
  std::vector<Offset> directions;
  for (int dimensions = 1; dimensions <= static_cast<int>(stencil); ++dimensions) {
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          if (std::abs(x) + std::abs(y) + std::abs(z) == dimensions) directions.push_back({x, y, z});
        }
      }
    }
  }
  return directions;
}

class Halo3d final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    if (grid_->chosen()) check_dims("grid", *grid_, ranks);
    const Dims<3> dims = dims_for(*grid_, ranks);
    const Cells cells = mesh();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t smallest = cells[k] / dims[k];
      if (smallest >= *depth_) continue;
      reject(parameter_names[k], "{} cells in {} blocks are fewer than the depth of the halo ({}); at least {}",
             cells[k], dims[k], *depth_, *depth_ * dims[k]);
    }
  }

  void write(CallList& calls) const override {
    const calls::RankGrid<3> ranks(dims_for(*grid_, calls.ranks()), calls.rank());
    const Cells block = block_at(ranks);
    const std::vector<Offset> directions = neighbours(ranks, calls.rank());
    const Border border = *periodic_ ? Border::periodic : Border::closed;
    const Requests requests = calls.requests(2 * static_cast<int>(directions.size()));
    int k = 0;
    for (const Offset& offset : directions) {
      calls.irecv(requests[k++], ranks.neighbour(offset, border), tag_of(opposite(offset)), bytes(block, offset));
    }
    for (const Offset& offset : directions) {
      calls.isend(requests[k++], ranks.neighbour(offset, border), tag_of(offset), bytes(block, offset));
    }
    const std::int64_t block_count = block[0] * block[1] * block[2];
    const std::int64_t inner_count = *overlap_ ? inner_cells(block) : 0;
    compute(calls, inner_count);
    calls.wait_all(requests);
    compute(calls, block_count - inner_count);
  }

 private:
  static constexpr std::array parameter_names{"columns", "rows", "planes"};

  Cells mesh() const { return {*columns_, *rows_, *planes_}; }
  Cells block_at(const calls::RankGrid<3>& ranks) const {
    const Cells cells = mesh();
    Cells block{};
    for (std::size_t k = 0; k < 3; ++k) block[k] = block_cells(cells[k], ranks.side(k), ranks.coordinates()[k]);
    return block;
  }
  // The directions in which there is another rank.
  std::vector<Offset> neighbours(const calls::RankGrid<3>& ranks, int own) const {
    std::vector<Offset> directions = directions_of(*stencil_);
    std::erase_if(directions, [&](const Offset& offset) {
      const int other = ranks.neighbour(offset, *periodic_ ? Border::periodic : Border::closed);
      return other < 0 || other == own;
    });
    return directions;
  }
  std::int64_t bytes(const Cells& block, const Offset& offset) const {
    std::int64_t cells = *fields_;
    for (std::size_t k = 0; k < 3; ++k) cells *= offset[k] == 0 ? block[k] : *depth_;
    return 8 * cells;
  }
  // Number of cells that need no halo.
  std::int64_t inner_cells(const Cells& block) const {
    std::int64_t cells = 1;
    for (const std::int64_t side : block) cells *= std::max<std::int64_t>(side - 2 * *depth_, 0);
    return cells;
  }
  void compute(CallList& calls, std::int64_t cells) const {
    calls.compute(*cell_ns_ * static_cast<double>(cells) * static_cast<double>(*fields_));
  }

  static constexpr std::int64_t max_value = 1 << 20;
  Param<std::int64_t> columns_{this, 'x', "columns", 256, "cells across the whole mesh", Positive{}, AtMost{max_value}};
  Param<std::int64_t> rows_{this, 'y', "rows", 256, "cells down the whole mesh", Positive{}, AtMost{max_value}};
  Param<std::int64_t> planes_{this, 'z', "planes", 256, "cells in the third dimension", Positive{}, AtMost{max_value}};
  Param<Stencil> stencil_{this, 'p', "points", Stencil::faces, "points of the stencil: 6, 18 or 26 neighbours"};
  Param<std::int64_t> depth_{this, 'd', "depth", 1, "layers exchanged", Positive{}, AtMost{1000}};
  Param<std::int64_t> fields_{this, 'f', "fields", 1, "fields packed into one message", Positive{}, AtMost{1000}};
  Param<Dims<3>> grid_{this, "grid", {}, "ranks in the three dimensions; auto: as even as possible"};
  Param<bool> periodic_{this, "periodic", "periodic boundaries"};
  Param<bool> overlap_{this, "overlap", "compute cells that need no halo while messages are in flight"};
  Param<double> cell_ns_{this, "cell-time", 2.0, "nanoseconds of computation per cell and field", Positive{}};
};

const RegisterMotif<Halo3d> registered{"halo3d", Family::application, "exchange with the neighbours of a 3-D mesh",
                                       "structured meshes"};

}  // namespace
}  // namespace stressbench
