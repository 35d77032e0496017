#include "motifs/collective/root.hpp"

#include <limits>

namespace stressbench {
namespace {

constexpr std::string_view accepted = "a rank of the job, or rotate: each in turn";

struct KnownRoot {
  static constexpr std::string_view words = accepted;
  static bool holds(RootChoice) noexcept { return true; }  // Spelling rejects any other value
};

}  // namespace

RootChoice Spelling<RootChoice>::read(std::string_view text) {
  if (parameter_detail::same_name(text, "rotate")) return {.rank = 0, .rotates = true};
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    throw UserMistake("must be " + std::string(accepted));
  const std::int64_t rank = units::integer(text);
  if (rank > std::numeric_limits<int>::max()) throw UserMistake("must be " + std::string(accepted));
  return {.rank = static_cast<int>(rank)};
}

std::string Spelling<RootChoice>::write(RootChoice choice) {
  return choice.rotates ? "rotate" : std::to_string(choice.rank);
}

Root::Root(ParameterSet* owner)
    : choice_(owner, 'r', "root", RootChoice{}, "the root; rotate: the next rank with each call", KnownRoot{}) {}

void Root::check(int ranks) const {
  if (!rotates() && fixed() >= ranks) reject("root", "{}, but the job's ranks are 0 to {}", fixed(), ranks - 1);
}

int Root::same_in_each_call() const {
  if (rotates()) reject("root", "another rank is the root of each call; expected a rank");
  return fixed();
}

void Root::decompose(int rank, int ranks) noexcept {
  rank_ = rank;
  ranks_ = ranks;
  current_ = rotates() ? ranks - 1 : fixed();
  next_selected_ = false;
}

}  // namespace stressbench
