// Sizes of the blocks of the ranks in a collective: all equal, or, in the v-variants, rising from rank to rank.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameter.hpp"

namespace stressbench {

class EvenShares {
 public:
  static constexpr bool is_v_variant = false;
  explicit EvenShares(ParameterSet*) {}
  bool skewed() const noexcept { return false; }
  std::int64_t of(std::int64_t elements, int, int) const noexcept { return elements; }
  std::int64_t total(std::int64_t elements, int ranks) const noexcept { return ranks * elements; }
  std::vector<std::int64_t> all(std::int64_t elements, int ranks) const {
    return std::vector<std::int64_t>(static_cast<std::size_t>(ranks), elements);
  }
};

// Sizes rise evenly from rank to rank, from elements * (1 - skew) to elements * (1 + skew), rounded to whole elements.
class SkewedShares {
 public:
  static constexpr bool is_v_variant = true;
  explicit SkewedShares(ParameterSet* owner);
  bool skewed() const noexcept { return *skew_ > 0.0; }
  std::int64_t of(std::int64_t elements, int rank, int ranks) const;
  std::int64_t total(std::int64_t elements, int ranks) const;
  std::vector<std::int64_t> all(std::int64_t elements, int ranks) const;

 private:
  Param<double> skew_;
};

}  // namespace stressbench
