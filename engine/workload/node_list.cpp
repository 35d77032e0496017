#include "workload/node_list.hpp"

#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/units.hpp"

namespace stressbench::workload {
namespace {

std::int64_t node(std::string_view text) {
  try {
    const std::int64_t number = units::integer(text);
    if (number <= std::numeric_limits<int>::max()) return number;
  } catch (const UserMistake&) {
    throw UserMistake("must be a node such as 7, a range such as 0-15, or a range with a stride such as 0-30:2");
  }
  throw UserMistake("is larger than any node number");
}

// Number of nodes from index `at` on that ascend with a constant step.
std::size_t run_length(std::span<const int> nodes, std::size_t at) {
  if (at + 1 >= nodes.size() || nodes[at + 1] <= nodes[at]) return 1;
  const std::int64_t step = std::int64_t{nodes[at + 1]} - nodes[at];
  std::size_t length = 2;
  while (at + length < nodes.size() && std::int64_t{nodes[at + length]} - nodes[at + length - 1] == step) ++length;
  return length;
}

}  // namespace

void append_nodes(std::string_view item, std::size_t room, std::vector<int>& nodes) {
  const std::size_t dash = item.find('-', 1);
  const std::size_t colon = item.find(':');
  const std::int64_t first = node(item.substr(0, std::min(dash, colon)));
  if (dash == std::string_view::npos && colon != std::string_view::npos)
    throw UserMistake("has a stride but no range; write 0-30:2");
  const bool range = dash != std::string_view::npos;
  const std::int64_t last =
      range ? node(item.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1)) : first;
  const std::int64_t stride = colon == std::string_view::npos ? 1 : node(item.substr(colon + 1));
  if (last < first)
    throw UserMistake("is a range in descending order; write " + std::to_string(last) + "-" + std::to_string(first));
  if (stride < 1) throw UserMistake("has stride 0; it must be at least 1");
  if (static_cast<std::uint64_t>((last - first) / stride) >= room)
    throw UserMistake("names too many nodes; a workload may name " + std::to_string(max_nodes) + " in all");
  for (std::int64_t number = first; number <= last; number += stride) nodes.push_back(static_cast<int>(number));
}

std::vector<int> parse_nodes(std::string_view text) {
  std::vector<int> nodes;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view item = text.substr(start, comma - start);
    if (item.empty()) throw UserMistake("an item of the node list is empty");
    try {
      append_nodes(item, static_cast<std::size_t>(max_nodes) - nodes.size(), nodes);
    } catch (const UserMistake& mistake) {
      throw UserMistake("'" + std::string(item) + "' " + mistake.what());
    }
    start = comma + 1;
  }
  return nodes;
}

std::string compress(std::span<const int> nodes) {
  constexpr std::size_t shortest_range = 3;   // 0-2 rather than 0,1,2
  constexpr std::size_t shortest_stride = 4;  // 0-6:2 rather than 0,2,4,6
  std::string text;
  for (std::size_t at = 0; at < nodes.size();) {
    const std::size_t length = run_length(nodes, at);
    const int step = length > 1 ? nodes[at + 1] - nodes[at] : 0;
    text += (text.empty() ? "" : ",") + std::to_string(nodes[at]);
    if (length < (step == 1 ? shortest_range : shortest_stride)) {
      ++at;
      continue;
    }
    text += "-" + std::to_string(nodes[at + length - 1]) + (step > 1 ? ":" + std::to_string(step) : "");
    at += length;
  }
  return text;
}

}  // namespace stressbench::workload
