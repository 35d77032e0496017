#include "motifs/application/amg/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "motifs/application/amg/computed.hpp"
#include "motifs/application/amg/lattice.hpp"

namespace stressbench::amg {
namespace {

constexpr std::int64_t max_computed_points = std::int64_t{1} << 20;
constexpr std::size_t max_kept = 16;

bool can_be_computed(const Problem& problem) {
  std::int64_t points = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t side = std::int64_t{problem.points[k]} * problem.ranks[k];
    if (side > max_computed_points / points) return false;
    points *= side;
  }
  return true;
}

}  // namespace

std::shared_ptr<const Hierarchy> hierarchy_of(const Problem& problem) {
  if (!can_be_computed(problem)) return std::make_shared<Lattice>(problem.points, problem.ranks);
  // Every round of a job needs the same hierarchy.
  static std::map<std::tuple<std::array<int, 3>, std::array<int, 3>, double>, std::shared_ptr<const Hierarchy>> kept;
  if (kept.size() >= max_kept) kept.clear();
  std::shared_ptr<const Hierarchy>& found = kept[{problem.points.sides, problem.ranks.sides, problem.diagonal}];
  if (!found) found = std::make_shared<ComputedHierarchy>(problem.points, problem.ranks, problem.diagonal);
  return found;
}

}  // namespace stressbench::amg
