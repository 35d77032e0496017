// Ranks in a grid, and a mesh cut into blocks for them.
#pragma once

#include <cstdint>

#include "core/parameter.hpp"

namespace stressbench {

// Ranks across and down; rank = x index * y + y index, as MPI_Cart_create numbers them. {0, 0}: to be chosen.
struct Grid {
  int x = 0;
  int y = 0;
  bool chosen() const noexcept { return x > 0; }
  bool operator==(const Grid&) const = default;
};

template <>
struct Spelling<Grid> {
  static Grid read(std::string_view text);  // "auto", "4x2"
  static std::string write(Grid grid);
  static constexpr std::string_view unit = "grid";
};

// The two factors of `ranks` that are nearest to each other, x >= y: what the standard asks of MPI_Dims_create. Open
// MPI 4.1's own answer is another one for 102 of the first 4096 numbers (72: 12x6 instead of 9x8); a workload must not
// change with the library.
Grid most_square(int ranks) noexcept;

// Cells in one of `parts` blocks of `cells`: the first `cells mod parts` blocks have one more.
std::int64_t block_cells(std::int64_t cells, int parts, int index) noexcept;

}  // namespace stressbench
