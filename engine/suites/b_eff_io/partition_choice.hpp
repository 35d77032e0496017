// Which ranks of a job form a partition of b_eff_io: `8` (the first ranks), `2x4` (four ranks on each of the first two
// nodes) or `r0-3+8` (these ranks). No MPI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"

namespace stressbench {
namespace beff {

// Exactly one of `first`, `nodes` and `listed` is used.
struct PartitionChoice {
  int first = 0;              // number of ranks, from rank 0 on
  int nodes = 0;              // number of nodes, in the order of their first ranks
  int ranks_per_node = 0;     // the first ones of each of these nodes
  std::vector<int> listed{};  // ranks in ascending order

  int size() const noexcept {
    if (!listed.empty()) return static_cast<int>(listed.size());
    return nodes > 0 ? nodes * ranks_per_node : first;
  }
  // Whether a rank with this position belongs to it; `node` counts nodes in the order of their first ranks.
  bool contains(int rank, int node, int rank_on_node) const noexcept;
};

}  // namespace beff

template <>
struct Spelling<beff::PartitionChoice> {
  static beff::PartitionChoice read(std::string_view text);
  static std::string write(const beff::PartitionChoice& choice);
  static constexpr std::string_view unit = "text";
};

}  // namespace stressbench
