#include "motifs/application/stencil/product.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/error.hpp"
#include "core/units.hpp"

namespace stressbench::stencil {
namespace {

constexpr std::string_view mesh_names = "XYZT";

// The dimension that a letter stands for, if it is one of these names.
std::optional<std::size_t> dimension_of(std::string_view text, std::string_view names) {
  if (text.size() != 1) return std::nullopt;
  const std::size_t place = names.find(text[0]);
  return place == std::string_view::npos ? std::nullopt : std::optional(place);
}

}  // namespace

Product Product::read(std::string_view text) {
  Product product;
  product.text_ = text;
  bool divides = false;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("*/", start), text.size());
    Factor factor = read_factor(text.substr(start, end - start));
    factor.divides = divides;
    if (divides && factor.of == Of::number && factor.number == 0) throw UserMistake("{} divides by 0", text);
    product.factors_.push_back(factor);
    divides = end < text.size() && text[end] == '/';
    start = end + 1;
  }
  return product;
}

Product::Factor Product::read_factor(std::string_view text) {
  if (text == "P") return {Of::ranks, 0, 0, false};
  if (text == "S") return {Of::stage, 0, 0, false};
  if (const auto dimension = dimension_of(text, dimension_names)) return {Of::cells, *dimension, 0, false};
  if (const auto dimension = dimension_of(text, mesh_names)) return {Of::mesh, *dimension, 0, false};
  try {
    if (text.size() > 4 && text[0] == '(' && text[2] == '+' && text.back() == ')') {
      const auto dimension = dimension_of(text.substr(1, 1), dimension_names);
      const std::int64_t more = units::integer(text.substr(3, text.size() - 4));
      if (dimension && more <= std::numeric_limits<int>::max()) return {Of::cells, *dimension, more, false};
    }
    return {Of::number, 0, units::integer(text), false};
  } catch (const UserMistake&) {  // the message below says more
  }
  throw UserMistake(
      "'{}' is no factor; expected a whole number, cells of a rank (x, y, z, t; or with more: (x+2)), cells of the "
      "mesh (X, Y, Z, T), P for the number of ranks, or S for 2^k in stage k",
      text);
}

std::int64_t Product::Factor::value(const Lengths& lengths) const noexcept {
  switch (of) {
    case Of::number:
      return number;
    case Of::cells:
      return lengths.cells[dimension] + number;
    case Of::mesh:
      return lengths.mesh[dimension];
    case Of::ranks:
      return lengths.ranks;
    case Of::stage:  // a number by now: in_stage
      break;
  }
  return 1;
}

std::int64_t Product::value(const Lengths& lengths) const {
  std::int64_t value = 1;
  for (const Factor& factor : factors_) {
    if (!factor.divides && __builtin_mul_overflow(value, factor.value(lengths), &value))
      throw UserMistake("{} is more than 64 bits can count", text_);
  }
  for (const Factor& factor : factors_) {
    if (factor.divides) value /= factor.value(lengths);
  }
  return value;
}

bool Product::depends_on_cells() const noexcept {
  return std::ranges::any_of(factors_, [](const Factor& factor) { return factor.of == Of::cells; });
}

bool Product::depends_on_stage() const noexcept {
  return std::ranges::any_of(factors_, [](const Factor& factor) { return factor.of == Of::stage; });
}

Product Product::in_stage(int distance) const {
  Product product = *this;
  for (Factor& factor : product.factors_) {
    if (factor.of == Of::stage) factor = {Of::number, 0, distance, factor.divides};
  }
  return product;
}

std::size_t Product::dimensions() const noexcept {
  std::size_t needed = 0;
  for (const Factor& factor : factors_) {
    if (factor.of == Of::cells || factor.of == Of::mesh) needed = std::max(needed, factor.dimension + 1);
  }
  return needed;
}

double Product::real(const Lengths& lengths) const noexcept {
  double value = 1;
  for (const Factor& factor : factors_) {
    const auto one = static_cast<double>(factor.value(lengths));
    value = factor.divides ? value / one : value * one;
  }
  return value;
}

}  // namespace stressbench::stencil
