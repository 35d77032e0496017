// Which two ranks play together, for the patterns of pairs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"

namespace stressbench {

struct Pairing {
  enum class Kind { neighbours, halves, random };
  Kind kind = Kind::neighbours;
  std::uint64_t seed = 0;  // of random
};

template <>
struct Spelling<Pairing> {
  static Pairing read(std::string_view text);
  static std::string write(const Pairing& pairing);
  static constexpr std::string_view unit = "choice";
};

// Rule of a parameter that is a pairing.
struct KnownPairing {
  static constexpr std::string_view words = "one of neighbours, halves, random:SEED";
  static bool holds(const Pairing&) noexcept { return true; }  // Spelling refuses the rest
};

// neighbours: 0-1, 2-3, ...; halves: i and i + ranks/2; random: a Fisher-Yates permutation taken two by two.
// The partner of each rank; no_partner for the one that an odd number leaves over.
inline constexpr int no_partner = -1;
std::vector<int> partners(const Pairing& pairing, int ranks);
int partner_of(int rank, const Pairing& pairing, int ranks);

// Throws ParameterMistake where a motif has fewer ranks than its pattern is made of.
void needs_ranks(std::string_view motif, int least, int ranks);

}  // namespace stressbench
