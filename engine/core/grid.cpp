#include "core/grid.hpp"

#include <limits>

namespace stressbench {

std::vector<int> balanced_dims(int ranks, int dimensions) {
  if (dimensions == 1) return {ranks};
  if (dimensions == 2) {  // search up to the square root only
    int shorter = 1;
    for (int side = 2; side <= ranks / side; ++side) {
      if (ranks % side == 0) shorter = side;
    }
    return {ranks / shorter, shorter};
  }
  std::vector<int> best;
  for (int largest = 1; largest <= ranks; ++largest) {
    if (ranks % largest != 0) continue;
    std::int64_t most = 1;  // product of all factors if each is `largest`
    for (int k = 0; k < dimensions && most < ranks; ++k) most *= largest;
    if (most < ranks) continue;
    best = balanced_dims(ranks / largest, dimensions - 1);
    best.insert(best.begin(), largest);
    if (best[1] <= largest) return best;
  }
  return best;
}

namespace grid_detail {

std::vector<int> read_sides(std::string_view text, std::size_t count) {
  if (parameter_detail::same_name(text, "auto")) return std::vector<int>(count, 0);
  std::vector<int> sides;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t cross = std::min(text.find_first_of("xX", start), text.size());
    const std::int64_t side = units::integer(text.substr(start, cross - start));
    if (side < 1 || side > std::numeric_limits<int>::max()) throw UserMistake("each side must be 1 or more");
    sides.push_back(static_cast<int>(side));
    start = cross + 1;
  }
  if (sides.size() != count) {
    throw UserMistake("must be auto, or ranks in " + std::to_string(count) +
                      " dimensions: " + write_sides(std::vector<int>(count, 2).data(), count));
  }
  return sides;
}

std::string write_sides(const int* sides, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += (k == 0 ? "" : "x") + std::to_string(sides[k]);
  return text;
}

}  // namespace grid_detail

std::int64_t block_cells(std::int64_t cells, int parts, int index) noexcept {
  return cells / parts + (index < cells % parts ? 1 : 0);
}

}  // namespace stressbench
