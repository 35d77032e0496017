// halo2d: exchange of cell layers with the four neighbours of a 2-D decomposition, as TeaLeaf does it
// (StressBench III-A; order of calls: docs/motifs/halo2d.md).
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/grid.hpp"
#include "motifs/message.hpp"
#include "motifs/motif.hpp"
#include "motifs/payload.hpp"

namespace stressbench {
namespace {

struct KnownGrid {
  static constexpr std::string_view words = "auto, or ranks across x ranks down: 4x2";
  static bool holds(Grid) noexcept { return true; }  // Spelling refuses the rest
};
using Whole = AtMost<std::int64_t>;
constexpr std::int64_t int_max = std::numeric_limits<int>::max();

// One neighbour: what goes there, what comes from there. Packing is counted as computation (StressBench III-A), so
// buffers stay packed.
struct Side {
  int neighbour = MPI_PROC_NULL;
  int send_tag = 0;
  int receive_tag = 0;
  int doubles = 0;
  Buffer outgoing;
  Buffer incoming;

  bool exists() const noexcept { return neighbour != MPI_PROC_NULL; }
  // The send precedes its receive, as in TeaLeaf. Gives the number of requests.
  int exchange(MPI_Comm communicator, MPI_Request* requests) const {
    if (!exists()) return 0;
    mpi::must(MPI_Isend(outgoing.data(), doubles, MPI_DOUBLE, neighbour, send_tag, communicator, requests),
              "MPI_Isend");
    mpi::must(MPI_Irecv(incoming.data(), doubles, MPI_DOUBLE, neighbour, receive_tag, communicator, requests + 1),
              "MPI_Irecv");
    return 2;
  }
};

class Halo2d final : public Motif {
 public:
  void check(int ranks) const override {
    const Grid grid = grid_for(ranks);
    if (static_cast<std::int64_t>(grid.x) * grid.y != ranks) {
      const Grid fits = most_square(ranks);
      throw ParameterMistake(
          "grid", fmt::format("--grid: {}x{} has {} ranks, but the job has {}; {}x{} would fit", grid.x, grid.y,
                              static_cast<std::int64_t>(grid.x) * grid.y, ranks, fits.x, fits.y));
    }
    check_blocks("columns", *columns_, grid.x);
    check_blocks("rows", *rows_, grid.y);
    const std::int64_t longest =
        std::max(block_cells(*columns_, grid.x, 0), block_cells(*rows_, grid.y, 0)) + 2 * *depth_;
    if (*fields_ * *depth_ > int_max / longest) {
      throw ParameterMistake(
          "fields", fmt::format("--fields: {} fields, {} deep, along {} cells make a message of more than {} doubles",
                                *fields_, *depth_, longest, int_max));
    }
  }
  Traffic traffic(int ranks) const override {
    const auto [x, y] = grid_for(ranks);
    const std::int64_t across = 2LL * (x - 1);  // messages in each row of blocks
    const std::int64_t down = 2LL * (y - 1);    // messages in each column of blocks
    return {
        .messages = across * y + down * x,
        .message_bytes = layer_bytes() * (across * (*rows_ + 2 * *depth_ * y) + down * (*columns_ + 2 * *depth_ * x))};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    const Grid grid = grid_for(group.size());
    const std::array<int, 2> dims{grid.x, grid.y};
    const std::array<int, 2> periodic{0, 0};
    MPI_Comm made = MPI_COMM_NULL;
    mpi::must(MPI_Cart_create(group.handle(), 2, dims.data(), periodic.data(), 1, &made), "MPI_Cart_create");
    mesh_ = mpi::Group::adopt(made);
    std::array<int, 2> at{};
    mpi::must(MPI_Cart_coords(made, mesh_.rank(), 2, at.data()), "MPI_Cart_coords");
    mpi::must(MPI_Cart_shift(made, 0, 1, &left_.neighbour, &right_.neighbour), "MPI_Cart_shift");
    mpi::must(MPI_Cart_shift(made, 1, 1, &bottom_.neighbour, &top_.neighbour), "MPI_Cart_shift");
    // The corners travel in both directions.
    const std::int64_t height = block_cells(*rows_, grid.y, at[1]) + 2 * *depth_;
    const std::int64_t width = block_cells(*columns_, grid.x, at[0]) + 2 * *depth_;
    lay_out(left_, 1, 2, height);
    lay_out(right_, 2, 1, height);
    lay_out(bottom_, 3, 4, width);
    lay_out(top_, 4, 3, width);
    alone_ = group.size() == 1;
    overlaps_ = *depth_ == 1;
  }

  void perform(Recorder&) override {
    if (alone_) return;  // TeaLeaf, too, then makes no call at all
    MPI_Comm mesh = mesh_.handle();
    int across = left_.exchange(mesh, across_.data());
    across += right_.exchange(mesh, across_.data() + across);
    int complete = 0;
    if (overlaps_) {
      mpi::must(MPI_Testall(across, across_.data(), &complete, MPI_STATUSES_IGNORE), "MPI_Testall");
    } else {
      mpi::must(MPI_Waitall(across, across_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
      complete = 1;
    }
    int down = bottom_.exchange(mesh, down_.data());
    down += top_.exchange(mesh, down_.data() + down);
    if (!complete) mpi::must(MPI_Waitall(across, across_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    mpi::must(MPI_Waitall(down, down_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

  void stamp(std::uint64_t pass) override {
    for (const Side* side : sides()) {
      payload::fill(side->outgoing.bytes(), {mesh_.rank(), side->neighbour, pass});
      payload::spoil(side->incoming.bytes(), {side->neighbour, mesh_.rank(), pass});
    }
  }
  void verify(std::uint64_t pass) const override {
    for (const Side* side : sides()) payload::check(side->incoming.bytes(), {side->neighbour, mesh_.rank(), pass});
  }

 private:
  Grid grid_for(int ranks) const { return grid_given_->chosen() ? *grid_given_ : most_square(ranks); }
  std::array<const Side*, 4> sides() const { return {&left_, &right_, &bottom_, &top_}; }
  std::int64_t layer_bytes() const { return static_cast<std::int64_t>(sizeof(double)) * *fields_ * *depth_; }

  void check_blocks(const char* parameter, std::int64_t cells, int blocks) const {
    if (cells < blocks) {
      throw ParameterMistake(parameter, fmt::format("--{}: {} cells are too few for {} ranks in that direction",
                                                    parameter, cells, blocks));
    }
    const std::int64_t smallest = cells / blocks;
    if (*depth_ > smallest) {
      throw ParameterMistake("depth", fmt::format("--depth: {}, but the smallest block has {} {}; at most {}", *depth_,
                                                  smallest, parameter, smallest));
    }
  }

  void lay_out(Side& side, int send_tag, int receive_tag, std::int64_t cells) {
    side.send_tag = send_tag;
    side.receive_tag = receive_tag;
    if (!side.exists()) return;
    const std::int64_t bytes = layer_bytes() * cells;
    side.doubles = static_cast<int>(bytes / static_cast<std::int64_t>(sizeof(double)));
    side.outgoing = Buffer(Bytes{bytes});
    side.incoming = Buffer(Bytes{bytes});
  }

  Param<std::int64_t> columns_{this, 'x', "columns", 4000, "cells across the whole mesh", Positive{}, Whole{int_max}};
  Param<std::int64_t> rows_{this, 'y', "rows", 4000, "cells down the whole mesh", Positive{}, Whole{int_max}};
  Param<std::int64_t> depth_{this, 'd', "depth", 1, "layers exchanged", Positive{}, Whole{int_max}};
  Param<std::int64_t> fields_{this, 'f', "fields", 1, "fields packed into one message", Positive{}, Whole{1000}};
  Param<Grid> grid_given_{
      this,       '\0', "grid", Grid{}, "ranks across and down; auto: as square as can be, the longer side across",
      KnownGrid{}};

  mpi::Group mesh_;
  bool alone_ = false;
  bool overlaps_ = true;  // y starts while x is in flight: only at depth 1
  Side left_, right_, bottom_, top_;
  std::array<MPI_Request, 4> across_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Request, 4> down_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

const RegisterMotif<Halo2d> registered{"halo2d", Family::application, "exchange with the four neighbours of a 2-D mesh",
                                       "TeaLeaf; StressBench III-A"};

}  // namespace
}  // namespace stressbench
