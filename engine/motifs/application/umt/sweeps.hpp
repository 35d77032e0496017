// The octants that UMT sweeps in a time step. Which of them have converged depends on the solution.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"
#include "motifs/application/umt/domain.hpp"

namespace stressbench {
namespace umt {

using Octants = std::bitset<octants>;

// The octants of each flux iteration, by temperature iteration.
struct Sweeps {
  std::string text;  // "all,all/all,1256"
  std::vector<std::vector<Octants>> temperature_iterations;
};

// Throws UserMistake.
Sweeps read_sweeps(std::string_view text);

}  // namespace umt

template <>
struct Spelling<umt::Sweeps> {
  static umt::Sweeps read(std::string_view text) { return umt::read_sweeps(text); }
  static std::string write(const umt::Sweeps& sweeps) { return sweeps.text; }
  static constexpr std::string_view unit = "text";
};

}  // namespace stressbench
