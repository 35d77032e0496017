// How ranks are paired.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"

namespace stressbench {

struct Pairing {
  enum class Kind { neighbours, halves, random };
  Kind kind = Kind::neighbours;
  std::uint64_t seed = 0;  // for random
};

template <>
struct Spelling<Pairing> {
  static Pairing read(std::string_view text);
  static std::string write(const Pairing& pairing);
  static constexpr std::string_view unit = "choice";
};

// Rule for parameters that take a pairing.
struct KnownPairing {
  static constexpr std::string_view words = "one of neighbours, halves, random:SEED";
  static bool holds(const Pairing&) noexcept { return true; }  // Spelling rejects any other value
};

// The partner of each rank; no_partner for the rank that is left over if their number is odd. neighbours: 0-1, 2-3,
// ...; halves: i and i + ranks/2; random: consecutive pairs of a Fisher-Yates permutation.
inline constexpr int no_partner = -1;
std::vector<int> partners(const Pairing& pairing, int ranks);
int partner_of(int rank, const Pairing& pairing, int ranks);

// Throws ParameterMistake if there are fewer ranks than the motif needs.
void require_ranks(std::string_view motif, int min_ranks, int ranks);

}  // namespace stressbench
