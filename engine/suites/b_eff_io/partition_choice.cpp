#include "suites/b_eff_io/partition_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.hpp"

namespace stressbench {
namespace {

using beff::PartitionChoice;

constexpr std::int64_t max_ranks = 1 << 24;

[[noreturn]] void refuse(std::string_view text) {
  throw UserMistake(
      "'{}' is not a partition; expected a number of ranks such as 8, nodes and ranks per node such as 2x4, or ranks "
      "such as r0-3+8",
      text);
}

// A number from `least` on that a job can have.
int number(std::string_view digits, int least, std::string_view text) {
  if (digits.empty() || digits.size() > 8 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    refuse(text);
  const std::int64_t value = units::count(digits);
  if (value < least || value > max_ranks) refuse(text);
  return static_cast<int>(value);
}

std::vector<int> listed_ranks(std::string_view items, std::string_view text) {
  std::vector<int> ranks;
  for (std::size_t start = 0; start <= items.size();) {
    const std::size_t plus = std::min(items.find('+', start), items.size());
    const std::string_view item = items.substr(start, plus - start);
    const std::size_t dash = item.find('-');
    const int first = number(item.substr(0, dash), 0, text);
    const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1), 0, text);
    if (last < first || (!ranks.empty() && first <= ranks.back()))
      throw UserMistake("'{}': ranks of a partition are listed in ascending order, each once", text);
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
    start = plus + 1;
  }
  return ranks;
}

}  // namespace

bool beff::PartitionChoice::contains(int rank, int node, int rank_on_node) const noexcept {
  if (!listed.empty()) return std::ranges::binary_search(listed, rank);
  return nodes > 0 ? node < nodes && rank_on_node < ranks_per_node : rank < first;
}

PartitionChoice Spelling<PartitionChoice>::read(std::string_view text) {
  if (text.starts_with('r')) return {.listed = listed_ranks(text.substr(1), text)};
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos) return {.first = number(text, 1, text)};
  const PartitionChoice choice{.nodes = number(text.substr(0, times), 1, text),
                               .ranks_per_node = number(text.substr(times + 1), 1, text)};
  if (std::int64_t{choice.nodes} * choice.ranks_per_node > max_ranks) refuse(text);
  return choice;
}

std::string Spelling<PartitionChoice>::write(const PartitionChoice& choice) {
  if (choice.nodes > 0) return fmt::format("{}x{}", choice.nodes, choice.ranks_per_node);
  if (choice.listed.empty()) return std::to_string(choice.first);
  std::string text = "r";
  for (std::size_t at = 0; at < choice.listed.size();) {
    std::size_t end = at + 1;
    while (end < choice.listed.size() && choice.listed[end] == choice.listed[end - 1] + 1) ++end;
    text += fmt::format("{}{}", at > 0 ? "+" : "", choice.listed[at]);
    if (end - at > 1) text += fmt::format("-{}", choice.listed[end - 1]);
    at = end;
  }
  return text;
}

}  // namespace stressbench
