#include "core/grid.hpp"

#include <limits>

namespace stressbench {

Grid Spelling<Grid>::read(std::string_view text) {
  if (parameter_detail::same_name(text, "auto")) return {};
  const auto cross = text.find_first_of("xX");
  if (cross == std::string_view::npos) throw UserMistake("must be auto, or ranks across x ranks down: 4x2");
  const auto side = [](std::string_view digits) {
    const std::int64_t ranks = units::integer(digits);
    if (ranks < 1 || ranks > std::numeric_limits<int>::max()) throw UserMistake("both sides must be 1 or more");
    return static_cast<int>(ranks);
  };
  return {side(text.substr(0, cross)), side(text.substr(cross + 1))};
}

std::string Spelling<Grid>::write(Grid grid) {
  return grid.chosen() ? std::to_string(grid.x) + "x" + std::to_string(grid.y) : "auto";
}

Grid most_square(int ranks) noexcept {
  int shorter = 1;
  for (int side = 2; side <= ranks / side; ++side) {
    if (ranks % side == 0) shorter = side;
  }
  return {ranks / shorter, shorter};
}

std::int64_t block_cells(std::int64_t cells, int parts, int index) noexcept {
  return cells / parts + (index < cells % parts ? 1 : 0);
}

}  // namespace stressbench
