// Process grids, and the decomposition of a mesh into one block per rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"

namespace stressbench {

// Number of ranks in each of `n` dimensions; which dimension varies fastest is up to the application. All 0: not chosen
// by the user (`auto`).
template <std::size_t n>
struct Dims {
  std::array<int, n> sides{};
  bool chosen() const noexcept { return sides[0] > 0; }
  std::int64_t ranks() const noexcept {
    std::int64_t product = 1;
    for (const int side : sides) product *= side;
    return product;
  }
  int operator[](std::size_t k) const noexcept { return sides[k]; }
  bool operator==(const Dims&) const = default;
};

// The `dimensions` factors of `ranks`, in descending order, with the smallest possible largest factor, then the
// smallest possible second, and so on, as the standard requires of MPI_Dims_create. Open MPI 4.1 returns other factors
// for 102 of the first 4096 numbers in 2 dimensions (72: 12x6 instead of 9x8), and a workload must not depend on the
// library.
std::vector<int> balanced_dims(int ranks, int dimensions);
// Keeps the last result, as some motifs call it for each rank in turn.
template <std::size_t n>
Dims<n> balanced_dims(int ranks) {
  thread_local int last_ranks = -1;
  thread_local Dims<n> last;
  if (ranks != last_ranks) {
    last = {};
    std::ranges::copy(balanced_dims(ranks, static_cast<int>(n)), last.sides.begin());
    last_ranks = ranks;
  }
  return last;
}

namespace grid_detail {
std::vector<int> read_sides(std::string_view text, std::size_t count);
std::string write_sides(const int* sides, std::size_t count);
}  // namespace grid_detail

template <std::size_t n>
struct Spelling<Dims<n>> {
  static Dims<n> read(std::string_view text) {  // "auto", "4x2x2"
    const std::vector<int> sides = grid_detail::read_sides(text, n);
    Dims<n> dims;
    std::ranges::copy(sides, dims.sides.begin());
    return dims;
  }
  static std::string write(const Dims<n>& dims) {
    return dims.chosen() ? grid_detail::write_sides(dims.sides.data(), n) : "auto";
  }
  static constexpr std::string_view unit = "grid";
};

// Rule for a Dims<3> that has no default to choose, such as the points of a mesh.
struct GivenSides {
  static constexpr std::string_view words = "sides: 16x16x16";
  static bool holds(const Dims<3>& dims) noexcept { return dims.chosen(); }
};

// The given grid, or the most even one if none was chosen.
template <std::size_t n>
Dims<n> dims_for(const Dims<n>& given, int ranks) {
  return given.chosen() ? given : balanced_dims<n>(ranks);
}

// Throws ParameterMistake that names `parameter` and suggests a grid unless the grid has exactly `ranks` ranks.
template <std::size_t n>
void check_dims(const char* parameter, const Dims<n>& dims, int ranks) {
  if (dims.ranks() == ranks) return;
  throw ParameterMistake(parameter, "--" + std::string(parameter) + ": " + Spelling<Dims<n>>::write(dims) + " has " +
                                        std::to_string(dims.ranks()) + " ranks, but the job has " +
                                        std::to_string(ranks) + "; " +
                                        Spelling<Dims<n>>::write(balanced_dims<n>(ranks)) + " would fit");
}

// Number of cells in block `index` of `cells` cut into `parts` blocks: the first `cells mod parts` blocks get one more.
std::int64_t block_cells(std::int64_t cells, int parts, int index) noexcept;

}  // namespace stressbench
