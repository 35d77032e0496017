// Sizes of messages and times of computation as products: 8*y, 16*(y+4)*z, 16*x*y/P, 8*S.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stressbench::stencil {

inline constexpr std::size_t max_dimensions = 4;
inline constexpr std::string_view dimension_names = "xyzt";

// What a product depends on: cells of a rank and of the whole mesh in each dimension, and the number of ranks.
struct Lengths {
  std::array<std::int64_t, max_dimensions> cells{1, 1, 1, 1};
  std::array<std::int64_t, max_dimensions> mesh{1, 1, 1, 1};
  std::int64_t ranks = 1;
};

class Product {
 public:
  // Reads factors separated by `*` and `/`: numbers, `x` to `t` (cells of a rank), `X` to `T` (of the mesh), `P`
  // (ranks), `S` (2^k in stage k) and sums of cells and a number: `(x+2)`. Throws UserMistake.
  static Product read(std::string_view text);

  // Divided after all multiplications, rounded down. Throws UserMistake if the product exceeds 64 bits.
  std::int64_t value(const Lengths& lengths) const;
  // The same without rounding.
  double real(const Lengths& lengths) const noexcept;
  const std::string& text() const noexcept { return text_; }
  bool depends_on_cells() const noexcept;
  bool depends_on_stage() const noexcept;
  // The product in the stage of this distance, 2^k. Its text stays as it is.
  Product in_stage(int distance) const;
  // How many dimensions a mesh must have for it.
  std::size_t dimensions() const noexcept;
  bool operator==(const Product& other) const noexcept { return text_ == other.text_; }

 private:
  enum class Of : std::uint8_t { number, cells, mesh, ranks, stage };
  struct Factor {
    Of of = Of::number;
    std::size_t dimension = 0;
    std::int64_t number = 0;  // added to cells
    bool divides = false;

    std::int64_t value(const Lengths& lengths) const noexcept;
  };

  static Factor read_factor(std::string_view text);

  std::string text_;
  std::vector<Factor> factors_;
};

}  // namespace stressbench::stencil
