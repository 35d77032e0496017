#include "motifs/collective/shares.hpp"

#include <cmath>

namespace stressbench {

SkewedShares::SkewedShares(ParameterSet* owner)
    : skew_(owner, "skew", 0.0, "sizes rise from rank to rank, from 1 - skew to 1 + skew times the size", AtMost{1.0}) {
}

std::int64_t SkewedShares::of(std::int64_t elements, int rank, int ranks) const {
  if (!skewed() || ranks == 1) return elements;
  const double relative_position = 2.0 * rank / (ranks - 1) - 1.0;
  return std::llround(static_cast<double>(elements) * (1.0 + *skew_ * relative_position));
}

std::int64_t SkewedShares::total(std::int64_t elements, int ranks) const {
  if (!skewed()) return ranks * elements;
  std::int64_t sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += of(elements, rank, ranks);
  return sum;
}

std::vector<std::int64_t> SkewedShares::all(std::int64_t elements, int ranks) const {
  std::vector<std::int64_t> shares;
  for (int rank = 0; rank < ranks; ++rank) shares.push_back(of(elements, rank, ranks));
  return shares;
}

}  // namespace stressbench
