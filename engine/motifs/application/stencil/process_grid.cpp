#include "motifs/application/stencil/process_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/grid.hpp"
#include "core/units.hpp"

namespace stressbench {
namespace stencil {
namespace {

template <class Number>
std::string joined(const std::vector<Number>& sides) {
  return fmt::format("{}", fmt::join(sides, "x"));
}

// Numbers separated by "x". Throws UserMistake with `accepted` unless there are one to four from `least` on.
template <class Number>
std::vector<Number> read_numbers(std::string_view text, std::int64_t least, const char* accepted) {
  std::vector<Number> numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t cross = std::min(text.find_first_of("xX", start), text.size());
    const std::int64_t number = units::integer(text.substr(start, cross - start));
    if (number < least || number > std::numeric_limits<int>::max() || numbers.size() == max_dimensions)
      throw UserMistake(accepted);
    numbers.push_back(static_cast<Number>(number));
    start = cross + 1;
  }
  return numbers;
}

Partner reversed(Partner partner) noexcept {
  switch (partner) {
    case Partner::above:
      return Partner::below;
    case Partner::below:
      return Partner::above;
    case Partner::parent:
      return Partner::child;
    case Partner::child:
      return Partner::parent;
    default:
      return partner;
  }
}

}  // namespace

Offset Offset::reversed() const noexcept {
  Offset other{{}, stencil::reversed(partner), stage};
  for (std::size_t k = 0; k < max_dimensions; ++k) other.steps[k] = -steps[k];
  return other;
}

std::size_t Periodic::dimensions() const noexcept {
  std::size_t needed = max_dimensions;
  while (needed > 0 && !in[needed - 1]) --needed;
  return needed;
}

std::string Offset::text() const {
  for (const auto& [name, known] : partner_names) {
    if (known == partner) return std::string(name);
  }
  std::string text;
  for (std::size_t k = 0; k < max_dimensions; ++k) {
    if (steps[k] == 0) continue;
    text += steps[k] < 0 ? '-' : '+';
    if (std::abs(steps[k]) > 1) text += std::to_string(std::abs(steps[k]));
    text += dimension_names[k];
  }
  return text;
}

ProcessGrid::ProcessGrid(const Mesh& mesh, const Sides& given, const Periodic& periodic, Fastest fastest, int ranks)
    : mesh_(mesh), periodic_(periodic), fastest_(fastest), ranks_(ranks) {
  const std::size_t dimensions = mesh.sides.size();
  std::vector<int> sides = given.sides.empty() ? std::vector<int>(dimensions, 0) : given.sides;
  if (sides.size() != dimensions) {
    reject("grid", "{} has {} dimensions, but --mesh {} has {}", joined(sides), sides.size(), joined(mesh.sides),
           dimensions);
  }
  std::int64_t fixed = 1;
  for (const int side : sides) {
    if (fixed <= ranks) fixed *= std::max(side, 1);  // no overflow by more
  }
  const auto open = static_cast<int>(std::ranges::count(sides, 0));
  if (ranks % fixed != 0 || (open == 0 && fixed != ranks))
    reject("grid", "{} does not fit the {} ranks of the job", joined(sides), ranks);
  if (open > 0) {
    const std::vector<int> factors = balanced_dims(static_cast<int>(ranks / fixed), open);
    auto factor = factors.begin();
    for (int& side : sides) {
      if (side == 0) side = *factor++;
    }
  }
  std::ranges::copy(sides, sides_.begin());
}

void ProcessGrid::require_cells() const {
  for (std::size_t k = 0; k < mesh_.sides.size(); ++k) {
    if (mesh_.sides[k] >= sides_[k]) continue;
    const std::vector<int> sides(sides_.begin(), sides_.begin() + static_cast<std::ptrdiff_t>(mesh_.sides.size()));
    reject("mesh", "{} cells in {} are too few for the {} ranks of the grid {} there", mesh_.sides[k],
           dimension_names[k], sides_[k], joined(sides));
  }
}

template <class Visit>
void ProcessGrid::for_each_dimension(Visit visit) const {
  for (std::size_t k = 0; k < max_dimensions; ++k) visit(fastest_ == Fastest::last ? k : max_dimensions - 1 - k);
}

ProcessGrid::Coordinates ProcessGrid::coordinates(int rank) const noexcept {
  Coordinates at{};
  int below = ranks_;
  for_each_dimension([&](std::size_t k) {
    below /= sides_[k];
    at[k] = rank / below;
    rank %= below;
  });
  return at;
}

int ProcessGrid::rank_at(const Coordinates& at) const noexcept {
  int rank = 0;
  for_each_dimension([&](std::size_t k) { rank = rank * sides_[k] + at[k]; });
  return rank;
}

int ProcessGrid::partner(int rank, const Offset& offset) const noexcept {
  const auto& [distance, root, highest] = offset.stage;
  const bool has_bit = (rank & distance) != 0;
  const std::int64_t place = (std::int64_t{rank} - root + ranks_) % ranks_;  // in the tree, whose root is 0
  const std::int64_t bits = highest ? place : place % (2 * std::int64_t{distance});
  const bool is_parent = highest ? bits < distance : bits == 0;
  const bool is_child = bits >= distance && bits < 2 * std::int64_t{distance} && (highest || bits == distance);
  std::int64_t other = -1;
  switch (offset.partner) {
    case Partner::across:
      return rank ^ distance;
    case Partner::above:
      return has_bit ? -1 : rank + distance;
    case Partner::below:
      return has_bit ? rank - distance : -1;
    case Partner::parent:
      if (is_child) other = place - distance;
      break;
    default:
      if (is_parent && place + distance < ranks_) other = place + distance;
  }
  return other < 0 ? -1 : static_cast<int>((other + root) % ranks_);
}

int ProcessGrid::neighbour(int rank, const Offset& offset) const noexcept {
  if (offset.partner != Partner::in_grid) return partner(rank, offset);
  Coordinates at = coordinates(rank);
  for (std::size_t k = 0; k < max_dimensions; ++k) {
    const std::int64_t side = sides_[k];
    std::int64_t place = std::int64_t{at[k]} + offset.steps[k];
    if (periodic_.in[k]) place = (place % side + side) % side;
    if (place < 0 || place >= side) return -1;
    at[k] = static_cast<int>(place);
  }
  return rank_at(at);
}

Lengths ProcessGrid::lengths(int rank) const noexcept {
  const Coordinates at = coordinates(rank);
  Lengths lengths;
  lengths.ranks = ranks_;
  for (std::size_t k = 0; k < mesh_.sides.size(); ++k) {
    lengths.mesh[k] = mesh_.sides[k];
    lengths.cells[k] = block_cells(mesh_.sides[k], sides_[k], at[k]);
  }
  return lengths;
}

std::vector<int> ProcessGrid::corners() const {
  std::vector<Coordinates> corners{{}};
  for (std::size_t k = 0; k < max_dimensions; ++k) {
    if (sides_[k] == 1) continue;
    std::vector<Coordinates> last = corners;
    for (Coordinates& at : last) at[k] = sides_[k] - 1;
    corners.insert(corners.end(), last.begin(), last.end());
  }
  std::vector<int> ranks;
  for (const Coordinates& at : corners) ranks.push_back(rank_at(at));
  return ranks;
}

Offset ProcessGrid::reduced(Offset offset) const noexcept {
  for (std::size_t k = 0; k < max_dimensions; ++k) {
    if (!periodic_.in[k]) continue;
    offset.steps[k] %= sides_[k];
    if (offset.steps[k] < 0) offset.steps[k] += sides_[k];
  }
  return offset;
}

ProcessGrid::Line ProcessGrid::line(int rank, const std::array<bool, max_dimensions>& along) const noexcept {
  const Coordinates at = coordinates(rank);
  Line line;
  for_each_dimension([&](std::size_t k) {
    int& number = along[k] ? line.place : line.colour;
    number = number * sides_[k] + at[k];
    if (along[k]) line.size *= sides_[k];
  });
  return line;
}

}  // namespace stencil

stencil::Mesh Spelling<stencil::Mesh>::read(std::string_view text) {
  return {stencil::read_numbers<std::int64_t>(text, 1, "must be cells in one to four dimensions: 240x240")};
}

std::string Spelling<stencil::Mesh>::write(const stencil::Mesh& mesh) { return stencil::joined(mesh.sides); }

stencil::Sides Spelling<stencil::Sides>::read(std::string_view text) {
  if (parameter_detail::same_name(text, "auto")) return {};
  return {
      stencil::read_numbers<int>(text, 0, "must be auto, or ranks in each dimension, 0 where they are to be chosen")};
}

std::string Spelling<stencil::Sides>::write(const stencil::Sides& sides) {
  return sides.sides.empty() ? "auto" : stencil::joined(sides.sides);
}

stencil::Periodic Spelling<stencil::Periodic>::read(std::string_view text) {
  stencil::Periodic periodic;
  if (parameter_detail::same_name(text, "none")) return periodic;
  for (const char letter : text) {
    const std::size_t dimension = stencil::dimension_names.find(letter);
    if (dimension == std::string_view::npos || periodic.in[dimension])
      throw UserMistake("must be none, or names of dimensions, each once: xy");
    periodic.in[dimension] = true;
  }
  if (text.empty()) throw UserMistake("must be none, or names of dimensions, each once: xy");
  return periodic;
}

std::string Spelling<stencil::Periodic>::write(const stencil::Periodic& periodic) {
  std::string text;
  for (std::size_t k = 0; k < stencil::max_dimensions; ++k) {
    if (periodic.in[k]) text += stencil::dimension_names[k];
  }
  return text.empty() ? "none" : text;
}

}  // namespace stressbench
