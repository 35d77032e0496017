// Node lists as text: `0-3,8,10-30:4`, the notation of [NID_LIST] and of the records.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stressbench::workload {

// No machine has more nodes; bounds what a range in a file may ask for.
inline constexpr int most_nodes = 1 << 20;

// Appends the nodes of one item (`7`, `0-15` or `0-30:2`). Throws UserMistake, nothing appended, when it is no such
// item, runs backwards, has stride 0, or names more than `room` nodes.
void append_nodes(std::string_view item, std::size_t room, std::vector<int>& nodes);

// A whole list, without blanks. Throws UserMistake naming the item.
std::vector<int> parse_nodes(std::string_view text);

// The list as short text, its order kept: parse_nodes(compress(nodes)) == nodes for any nodes >= 0.
std::string compress(std::span<const int> nodes);

}  // namespace stressbench::workload
