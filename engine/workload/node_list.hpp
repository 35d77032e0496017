// Node lists as text: `0-3,8,10-30:4`, the notation of [NID_LIST] and of the records.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stressbench::workload {

// Maximum number of nodes of a machine; bounds the length of ranges in a file.
inline constexpr int max_nodes = 1 << 20;

// Appends the nodes of one item (`7`, `0-15` or `0-30:2`). Throws UserMistake and appends nothing if the item is
// malformed, is in descending order, has stride 0, or names more than `room` nodes.
void append_nodes(std::string_view item, std::size_t room, std::vector<int>& nodes);

// Parses a whole list without blanks. Throws UserMistake that names the invalid item.
std::vector<int> parse_nodes(std::string_view text);

// The list as compact text in the same order: parse_nodes(compress(nodes)) == nodes for any nodes >= 0.
std::string compress(std::span<const int> nodes);

}  // namespace stressbench::workload
