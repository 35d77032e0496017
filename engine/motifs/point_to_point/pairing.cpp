#include "motifs/point_to_point/pairing.hpp"

#include <numeric>

#include "core/random.hpp"

namespace stressbench {

Pairing Spelling<Pairing>::read(std::string_view text) {
  constexpr std::string_view random = "random:";
  if (parameter_detail::same_name(text, "neighbours")) return {Pairing::Kind::neighbours};
  if (parameter_detail::same_name(text, "halves")) return {Pairing::Kind::halves};
  if (text.size() > random.size() && parameter_detail::same_name(text.substr(0, random.size()), random)) {
    return {Pairing::Kind::random, static_cast<std::uint64_t>(units::integer(text.substr(random.size())))};
  }
  throw UserMistake("must be neighbours, halves or random:SEED, as random:7");
}

std::string Spelling<Pairing>::write(const Pairing& pairing) {
  switch (pairing.kind) {
    case Pairing::Kind::neighbours:
      return "neighbours";
    case Pairing::Kind::halves:
      return "halves";
    case Pairing::Kind::random:
      break;
  }
  return "random:" + std::to_string(pairing.seed);
}

std::vector<int> partners(const Pairing& pairing, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  const std::size_t pairs = order.size() / 2;
  std::vector<int> partner(order.size(), no_partner);
  const auto pair_up = [&partner](int a, int b) {
    partner[static_cast<std::size_t>(a)] = b;
    partner[static_cast<std::size_t>(b)] = a;
  };
  if (pairing.kind == Pairing::Kind::halves) {
    for (std::size_t i = 0; i < pairs; ++i) pair_up(order[i], order[i + pairs]);
    return partner;
  }
  if (pairing.kind == Pairing::Kind::random) order = random_permutation({.seed = pairing.seed}, ranks);
  for (std::size_t i = 0; i < pairs; ++i) pair_up(order[2 * i], order[2 * i + 1]);
  return partner;
}

int partner_of(int rank, const Pairing& pairing, int ranks) {
  return partners(pairing, ranks)[static_cast<std::size_t>(rank)];
}

void require_ranks(std::string_view motif, int min_ranks, int ranks) {
  if (ranks >= min_ranks) return;
  reject("", "{} needs {} ranks or more, but the job has {}", motif, min_ranks, ranks);
}

}  // namespace stressbench
