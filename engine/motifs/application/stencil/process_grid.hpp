// The process grid of `stencil`: up to four dimensions, each of them periodic or not, in which a mesh is divided.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/parameter.hpp"
#include "motifs/application/stencil/product.hpp"

namespace stressbench::stencil {

// Who the other rank of a message is: one at an offset in the grid, or in stage k the rank whose number differs in bit
// k (across it; above, if that number is larger; below, if it is smaller), or the parent or the child in a binomial
// tree if its number differs by 2^k.
enum class Partner : std::uint8_t { in_grid, across, above, below, parent, child };

// A stage: its distance, 2^k, and the tree of its parents and children. A parent is the rank without the lowest bit of
// its number, counted from the root, or without the highest one.
struct Stage {
  int distance = 0;
  int root = 0;
  bool highest = false;

  auto operator<=>(const Stage&) const = default;
};

// The way to another rank: steps in each dimension, or a partner in a stage.
struct Offset {
  std::array<int, max_dimensions> steps{};
  Partner partner = Partner::in_grid;
  Stage stage{};

  bool operator==(const Offset&) const = default;
  auto operator<=>(const Offset&) const = default;
  Offset reversed() const noexcept;
  bool is_in_tree() const noexcept { return partner == Partner::parent || partner == Partner::child; }
  std::string text() const;  // "+x-2y", "^", "parent"
};

// As they are written; a rank in the grid is written as steps.
inline constexpr std::array partner_names{
    std::pair{std::string_view{"^"}, Partner::across},    std::pair{std::string_view{"+^"}, Partner::above},
    std::pair{std::string_view{"-^"}, Partner::below},    std::pair{std::string_view{"parent"}, Partner::parent},
    std::pair{std::string_view{"child"}, Partner::child},
};

// The dimension in which ranks with successive numbers follow one another: as in MPI_Cart_create, or in the first.
enum class Fastest { last, first };

// Cells of the whole mesh in each dimension.
struct Mesh {
  std::vector<std::int64_t> sides;
};
// Ranks in each dimension, 0 where it is to be chosen; none: all are.
struct Sides {
  std::vector<int> sides;
};
struct Periodic {
  std::array<bool, max_dimensions> in{};

  // How many dimensions a mesh must have for these.
  std::size_t dimensions() const noexcept;
};

class ProcessGrid {
 public:
  // Dimensions that are 0 get balanced factors of the rest, in descending order, as MPI_Dims_create gives them.
  // Throws ParameterMistake for "grid" if it cannot have this number of ranks.
  ProcessGrid(const Mesh& mesh, const Sides& given, const Periodic& periodic, Fastest fastest, int ranks);

  // Throws ParameterMistake for "mesh" if a rank gets no cells.
  void require_cells() const;

  int ranks() const noexcept { return ranks_; }
  // The rank at this offset from `rank`; -1 beyond a border, and if there is no such partner in the stage.
  int neighbour(int rank, const Offset& offset) const noexcept;
  // Cells of a rank.
  Lengths lengths(int rank) const noexcept;
  // The ranks that are first or last in each dimension. No rank has other numbers of cells than one of them.
  std::vector<int> corners() const;
  // The offset to the same rank with the least steps that are not negative in periodic dimensions.
  Offset reduced(Offset offset) const noexcept;
  // The ranks that differ from `rank` in these dimensions only: which group of them it is, the place in it, its size.
  struct Line {
    int colour = 0;
    int place = 0;
    int size = 1;
  };
  Line line(int rank, const std::array<bool, max_dimensions>& along) const noexcept;

 private:
  using Coordinates = std::array<int, max_dimensions>;
  Coordinates coordinates(int rank) const noexcept;
  int rank_at(const Coordinates& coordinates) const noexcept;
  int partner(int rank, const Offset& offset) const noexcept;
  template <class Visit>
  void for_each_dimension(Visit visit) const;  // the slowest first

  Mesh mesh_;
  std::array<int, max_dimensions> sides_{1, 1, 1, 1};
  Periodic periodic_;
  Fastest fastest_;
  int ranks_;
};

}  // namespace stressbench::stencil

namespace stressbench {

template <>
struct Spelling<stencil::Mesh> {
  static stencil::Mesh read(std::string_view text);  // "240x240"
  static std::string write(const stencil::Mesh& mesh);
  static constexpr std::string_view unit = "cells";
};
template <>
struct Spelling<stencil::Sides> {
  static stencil::Sides read(std::string_view text);  // "auto", "0x1", "4x2"
  static std::string write(const stencil::Sides& sides);
  static constexpr std::string_view unit = "grid";
};
template <>
struct Spelling<stencil::Periodic> {
  static stencil::Periodic read(std::string_view text);  // "none", "xy"
  static std::string write(const stencil::Periodic& periodic);
  static constexpr std::string_view unit = "dimensions";
};

}  // namespace stressbench
