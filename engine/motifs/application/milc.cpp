// milc: conjugate gradient iterations for MILC's staggered quarks on a 4-D lattice (milc-qcd/milc_qcd, su3_rmd;
// docs/motifs/milc.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calls/rank_grid.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

enum class Precision { single_, double_ };

namespace {

using calls::Border;
using calls::CallList;
using calls::Requests;

using Sides = std::array<std::int64_t, 4>;

constexpr int max_prime_factor = 53;         // the largest that MILC's layout supports
constexpr int third_neighbour_distance = 3;  // distance of the third neighbour in sites

// Computation per site of one parity in the reference capture, in nanoseconds: the vectors; the links to the neighbours
// in the positive directions; in the negative directions; in the negative directions with the sums for the reduction.
constexpr double vectors_ns = 5;
constexpr double positive_ns = 50;
constexpr double negative_ns = 51;
constexpr double negative_and_sums_ns = 54;

int largest_prime_factor(int number) noexcept {
  int largest = 1;
  for (int factor = 2; factor <= number / factor; ++factor) {
    while (number % factor == 0) {
      largest = factor;
      number /= factor;
    }
  }
  return std::max(largest, number);
}

// As in layout_hyper_prime.c: the longest side that the factor divides. Of several such sides, one that is
// already divided, otherwise the first. -1 if there is none.
int side_to_divide(const Sides& block, const Dims<4>& dims, int factor) noexcept {
  std::int64_t longest = 0;
  for (const std::int64_t side : block) {
    if (side % factor == 0) longest = std::max(longest, side);
  }
  int chosen = -1;
  for (int k = 3; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    const bool divided = chosen >= 0 && dims[static_cast<std::size_t>(chosen)] > 1;
    if (block[at] == longest && (dims[at] > 1 || !divided)) chosen = k;
  }
  return longest > 0 ? chosen : -1;
}

// Divides the lattice by the prime factors of the number of ranks, the largest factor first.
Dims<4> hyper_prime(Sides block, int ranks) {
  Dims<4> dims{{1, 1, 1, 1}};
  while (ranks > 1) {
    const int factor = largest_prime_factor(ranks);
    const int side = factor > max_prime_factor ? -1 : side_to_divide(block, dims, factor);
    if (side < 0) {
      throw ParameterMistake(
          "grid",
          fmt::format("MILC cannot lay this lattice out: no side is left that the ranks' factor {} divides; {}", factor,
                      factor > max_prime_factor ? "factors up to 53 are supported"
                                                : fmt::format("a multiple of {} as a side would be valid", factor)));
    }
    block[static_cast<std::size_t>(side)] /= factor;
    dims.sides[static_cast<std::size_t>(side)] *= factor;
    ranks /= factor;
  }
  return dims;
}

// Number of sites of one parity in a box with its corner at `origin`.
std::int64_t sites_of(int parity, const Sides& box, const Sides& origin) noexcept {
  std::int64_t sites = 1;
  std::int64_t corner = 0;
  for (std::size_t k = 0; k < box.size(); ++k) {
    sites *= box[k];
    corner += origin[k];
  }
  const std::int64_t parity_excess = sites % 2 == 0 ? 0 : (corner % 2 + 2) % 2 == parity ? 1 : -1;
  return (sites + parity_excess) / 2;
}

// A rank's block of the lattice, and the exchange of the vectors that sites of one parity need from their third
// neighbours, which include those from their first neighbours.
class ThirdNeighbourGather {
 public:
  ThirdNeighbourGather(CallList& calls, const Dims<4>& dims, const Sides& lattice, std::int64_t vector_bytes)
      : calls_(calls), ranks_(dims, calls.rank()), vector_bytes_(vector_bytes) {
    int divided = 0;
    for (std::size_t k = 0; k < lattice.size(); ++k) {
      block_[k] = lattice[k] / dims[k];
      origin_[k] = ranks_.coordinates()[k] * block_[k];
      divided += dims[k] > 1 ? 1 : 0;
    }
    requests_ = calls.requests(4 * divided);
  }

  double sites_per_parity() const { return static_cast<double>(block_[0] * block_[1] * block_[2] * block_[3]) / 2; }

  // Posts the exchange with the positive directions, then with the negative ones.
  void start(int parity, int first_tag) const {
    int message = 0;
    for (const int direction : {1, -1}) {
      for (std::size_t k = 0; k < block_.size(); ++k) {
        if (ranks_.side(k) == 1) continue;
        const int tag = first_tag + message;
        calls_.irecv(requests_[2 * message], ranks_.neighbour(k, direction, Border::periodic), tag,
                     bytes(parity, k, direction > 0 ? origin_[k] + block_[k] - third_neighbour_distance : origin_[k]),
                     calls::Source::any);
        calls_.isend(requests_[2 * message + 1], ranks_.neighbour(k, -direction, Border::periodic), tag,
                     bytes(parity, k, direction > 0 ? origin_[k] - third_neighbour_distance : origin_[k] + block_[k]));
        ++message;
      }
    }
  }

  // Waits for the messages of the positive (`direction` > 0) or the negative directions.
  void wait(int direction) const {
    const int half = requests_.count / 2;
    for (int k = 0; k < half; ++k) calls_.wait(requests_[direction > 0 ? k : half + k]);
  }

 private:
  // Bytes of the message for sites of `parity` in the `third_neighbour_distance` layers that begin at `start` in
  // `dimension`.
  std::int64_t bytes(int parity, std::size_t dimension, std::int64_t start) const {
    Sides layers = block_;
    Sides origin = origin_;
    layers[dimension] = third_neighbour_distance;
    origin[dimension] = start;
    return vector_bytes_ * sites_of(parity, layers, origin);
  }

  CallList& calls_;
  calls::RankGrid<4> ranks_;
  std::int64_t vector_bytes_;
  Sides block_{};
  Sides origin_{};
  Requests requests_;
};

class Milc final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    if (grid_->chosen()) check_dims("grid", *grid_, ranks);
    const Sides sides = lattice();
    for (std::size_t k = 0; k < sides.size(); ++k) {
      if (sides[k] % 2 == 0) continue;
      reject(parameter_names[k], "{} is odd, but sites of two parities need even sides, such as {}", sides[k],
             sides[k] + 1);
    }
    const Dims<4> dims = dims_on(ranks);
    for (std::size_t k = 0; k < sides.size(); ++k) check_side(parameter_names[k], sides[k], dims[k]);
  }

  void write(CallList& calls) const override {
    const ThirdNeighbourGather third_neighbours(calls, dims_on(calls.ranks()), lattice(),
                                                *precision_ == Precision::single_ ? 24 : 48);
    const double sites = third_neighbours.sites_per_parity();
    calls.compute(vectors_ns * sites);
    for (const int parity : {1, 0}) {  // odd sites first
      third_neighbours.start(parity, parity * 8);
      third_neighbours.wait(1);
      calls.compute(positive_ns * sites);
      third_neighbours.wait(-1);
      calls.compute((parity == 1 ? negative_ns : negative_and_sums_ns) * sites);
    }
    calls.allreduce(calls.all_ranks(), calls::ReduceOp::sum, calls::ElementType::doubles, 4);
  }

 private:
  static constexpr std::array parameter_names{"nx", "ny", "nz", "nt"};

  static void check_side(const char* name, std::int64_t side, int ranks) {
    if (side % ranks != 0) reject("grid", "{} ranks do not divide --{} {}", ranks, name, side);
    if (ranks > 1 && side / ranks < third_neighbour_distance) {
      reject(name, "{} sites on {} ranks are fewer than {} each, the reach of a link; {} would be valid", side, ranks,
             third_neighbour_distance, (third_neighbour_distance + 1) * ranks);
    }
  }

  Sides lattice() const { return {*nx_, *ny_, *nz_, *nt_}; }
  Dims<4> dims_on(int ranks) const { return grid_->chosen() ? *grid_ : hyper_prime(lattice(), ranks); }

  static constexpr std::int64_t max_value = 1 << 15;
  Param<std::int64_t> nx_{this, 'x', "nx", 8, "sites of the lattice in x", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 8, "sites in y", Positive{}, AtMost{max_value}};
  Param<std::int64_t> nz_{this, 'z', "nz", 8, "sites in z", Positive{}, AtMost{max_value}};
  Param<std::int64_t> nt_{this, 't', "nt", 8, "sites in time", Positive{}, AtMost{max_value}};
  Param<Dims<4>> grid_{this, "grid", {}, "ranks in x, y, z and time; auto: as MILC's layout_hyper_prime divides"};
  Param<Precision> precision_{this, "precision", Precision::single_, "precision of the quark vectors"};
};

const RegisterMotif<Milc> registered{"milc", Family::application, "conjugate gradients of quarks on a 4-D lattice",
                                     "MILC su3_rmd"};

}  // namespace
}  // namespace stressbench
