#include "motifs/collective/reduction.hpp"

#include <algorithm>

namespace stressbench {
namespace {

// The contribution of rank r to element k depends on r only through (r + k + pass) mod 3, plus a base common to all
// ranks. Results can therefore be computed without a loop over the ranks.
std::int64_t phase_of(std::size_t element, std::uint64_t pass) {
  return static_cast<std::int64_t>((element + pass) % 3);
}
std::int64_t base_of(std::size_t element, std::uint64_t pass) {
  return static_cast<std::int64_t>((7 * element + pass) % 16);
}

}  // namespace

MPI_Op operation_of(Reduction reduction) {
  const std::array operations{MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};
  return operations[static_cast<std::size_t>(reduction)];
}

std::int64_t contribution(Reduction reduction, std::int64_t rank, std::size_t element, std::uint64_t pass) {
  const std::int64_t cycle_position = (rank + phase_of(element, pass)) % 3;
  if (reduction == Reduction::prod) return cycle_position == 0 ? -1 : 1;
  return base_of(element, pass) + cycle_position;
}

std::int64_t reduced(Reduction reduction, std::int64_t ranks, std::size_t element, std::uint64_t pass) {
  const auto input = [&](std::int64_t rank) { return contribution(reduction, rank, element, pass); };
  const auto ranks_with_same_input = [&](std::int64_t rank) {
    return (ranks - rank + 2) / 3;
  };  // number of ranks with the same contribution as rank 0, 1 or 2
  const std::int64_t distinct_inputs = std::min<std::int64_t>(ranks, 3);
  std::int64_t value = input(0);
  switch (reduction) {
    case Reduction::sum:
      value = 0;
      for (std::int64_t r = 0; r < distinct_inputs; ++r) value += input(r) * ranks_with_same_input(r);
      break;
    case Reduction::min:
      for (std::int64_t r = 1; r < distinct_inputs; ++r) value = std::min(value, input(r));
      break;
    case Reduction::max:
      for (std::int64_t r = 1; r < distinct_inputs; ++r) value = std::max(value, input(r));
      break;
    case Reduction::prod:
      value = 1;
      for (std::int64_t r = 0; r < distinct_inputs; ++r) value *= ranks_with_same_input(r) % 2 == 0 ? 1 : input(r);
      break;
  }
  return value;
}

}  // namespace stressbench
