#include "motifs/application/umt/sweeps.hpp"

#include <algorithm>
#include <cstddef>

#include "core/error.hpp"

namespace stressbench::umt {
namespace {

constexpr std::size_t max_flux_iterations = 4;  // control/rtmainsn.F90

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

Octants read_octants(std::string_view text) {
  if (text == "all") return Octants{}.set();
  Octants found;
  for (const char digit : text) {
    if (digit < '1' || digit > '8' || found[static_cast<std::size_t>(digit - '1')]) {
      throw UserMistake("'{}' must be all, or some of the octants 12345678", text);
    }
    found.set(static_cast<std::size_t>(digit - '1'));
  }
  if (found.none()) throw UserMistake("a flux iteration sweeps at least one octant, such as in all,all/all,1256");
  return found;
}

std::vector<Octants> read_flux_iterations(std::string_view text) {
  std::vector<Octants> found;
  for (const std::string_view part : split(text, ',')) {
    const Octants swept = read_octants(part);
    if (found.empty() && !swept.all()) {
      throw UserMistake("'{}': the first flux iteration of a temperature iteration sweeps all octants", text);
    }
    if (!found.empty() && (swept & ~found.back()).any()) {
      throw UserMistake("'{}': an octant that has converged is not swept again in a temperature iteration", text);
    }
    found.push_back(swept);
  }
  if (found.size() > max_flux_iterations) {
    throw UserMistake("'{}' has {} flux iterations, but UMT makes at most {}", text, found.size(), max_flux_iterations);
  }
  return found;
}

}  // namespace

Sweeps read_sweeps(std::string_view text) {
  Sweeps sweeps{std::string(text), {}};
  for (const std::string_view part : split(text, '/')) {
    sweeps.temperature_iterations.push_back(read_flux_iterations(part));
  }
  return sweeps;
}

}  // namespace stressbench::umt
