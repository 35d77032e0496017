// Who plays ping-pong with whom.
#pragma once

#include <cstdint>
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

// neighbours: 0-1, 2-3, ...; halves: i and i + ranks/2; random: a Fisher-Yates permutation taken two by two.
// The partner of each rank; no_partner for the one that an odd number leaves over.
inline constexpr int no_partner = -1;
std::vector<int> partners(const Pairing& pairing, int ranks);

}  // namespace stressbench
