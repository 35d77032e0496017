// Which messages each pattern of b_eff sends: rings, random polygons, and the additional patterns of the paper, which
// do not contribute to the result (Rabenseifner and Koniges, section 4). One rank's view of all patterns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "suites/protocol.hpp"
#include "suites/rings.hpp"

namespace stressbench {

// How the order of the ranks in a polygon is drawn: all orders equally likely, or as in the original code.
enum class Drawn { uniform, legacy };

namespace beff {

// What a rank does in one pattern.
struct RankPattern {
  std::vector<Neighbours> rings;
  bool pingpong = false;
};

class Patterns {
 public:
  Patterns(int ranks, int rank) : ranks_(ranks), rank_(rank) {}

  // Adds the ring patterns with these numbers, which start at 1.
  void add_rings(std::span<const std::int64_t> numbers);
  void add_polygons(std::int64_t count, Drawn distribution, const Draw& draws);
  void add_extras();

  // In order of addition; `descriptions()[i]` and `rank_patterns()[i]` belong together.
  const std::vector<ProtocolPattern>& descriptions() const noexcept { return descriptions_; }
  const std::vector<RankPattern>& rank_patterns() const noexcept { return rank_patterns_; }

 private:
  void add(Kind kind, std::string name, std::int64_t messages, RankPattern rank_pattern);
  void add_grid(int dimensions);

  int ranks_;
  int rank_;
  std::vector<ProtocolPattern> descriptions_;
  std::vector<RankPattern> rank_patterns_;
};

// Messages of all ranks in one iteration of each of these patterns, without the additional ones.
std::vector<std::int64_t> messages_per_pattern(std::span<const std::int64_t> ring_numbers, std::int64_t polygons,
                                               int ranks);

}  // namespace beff
}  // namespace stressbench
