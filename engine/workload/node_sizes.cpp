#include "workload/node_sizes.hpp"

#include <algorithm>

#include "core/units.hpp"
#include "workload/diagnostics.hpp"
#include "workload/limits.hpp"
#include "workload/node_list.hpp"

namespace stressbench::workload {
namespace {

constexpr const char* expected =
    "must be a number of ranks, such as 16, or a list with the ranks of all nodes, such as 16(x3),8";

int count(std::string_view digits, std::string_view item) {
  std::int64_t value = 0;
  try {
    value = units::integer(digits);
  } catch (const UserMistake&) {
    throw UserMistake(in_quotes(item) + " " + expected);
  }
  if (value < 1) throw UserMistake(in_quotes(item) + " must be at least 1");
  if (value > max_nodes) throw UserMistake(in_quotes(item) + " must be at most " + std::to_string(max_nodes));
  return static_cast<int>(value);
}

// `16` or `16(x3)`.
NodeSizes::Run run_of(std::string_view item) {
  const std::size_t open = item.find("(x");
  if (open == std::string_view::npos) return {count(item, item), 1};
  if (!item.ends_with(')')) throw UserMistake(in_quotes(item) + " " + expected);
  return {count(item.substr(0, open), item), count(item.substr(open + 2, item.size() - open - 3), item)};
}

}  // namespace

NodeSizes NodeSizes::parse(std::string_view text) {
  NodeSizes sizes;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const Run run = run_of(text.substr(start, comma - start));
    if (!sizes.runs.empty() && sizes.runs.back().ranks == run.ranks) {
      sizes.runs.back().nodes += run.nodes;
    } else {
      sizes.runs.push_back(run);
    }
    if (sizes.nodes() > max_nodes) throw UserMistake("a machine has at most " + std::to_string(max_nodes) + " nodes");
    if (sizes.ranks() > limits::max_ranks)
      throw UserMistake("a launch has at most " + std::to_string(limits::max_ranks) + " ranks");
    start = comma + 1;
  }
  sizes.is_list = text.find_first_of(",(") != std::string_view::npos;
  return sizes;
}

std::string NodeSizes::spell() const {
  std::string text;
  for (const Run& run : runs) {
    text += (text.empty() ? "" : ",") + std::to_string(run.ranks);
    // A list of one node has its (x1), since a number alone is for any number of nodes.
    if (run.nodes > 1 || (is_list && runs.size() == 1)) text += "(x" + std::to_string(run.nodes) + ")";
  }
  return text;
}

std::int64_t NodeSizes::nodes() const noexcept {
  std::int64_t sum = 0;
  for (const Run& run : runs) sum += run.nodes;
  return sum;
}

std::int64_t NodeSizes::ranks() const noexcept {
  std::int64_t sum = 0;
  for (const Run& run : runs) sum += std::int64_t{run.ranks} * run.nodes;
  return sum;
}

int NodeSizes::node_of(int rank) const noexcept {
  if (!is_list) return rank / runs.front().ranks;
  std::int64_t first = 0;
  std::int64_t node = 0;
  for (const Run& run : runs) {
    const std::int64_t end = first + std::int64_t{run.ranks} * run.nodes;
    if (rank < end) return static_cast<int>(node + (rank - first) / run.ranks);
    first = end;
    node += run.nodes;
  }
  return static_cast<int>(node);
}

Machine NodeSizes::machine() const {
  Machine machine;
  machine.ranks.reserve(static_cast<std::size_t>(nodes()));
  for (const Run& run : runs) machine.ranks.insert(machine.ranks.end(), static_cast<std::size_t>(run.nodes), run.ranks);
  return machine;
}

}  // namespace stressbench::workload
