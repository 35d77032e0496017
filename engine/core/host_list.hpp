// Host names as a list in the notation of Slurm: `node[0001-0512,0600]`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stressbench::host_list {

// Whether a list can contain the name: it is not empty and has no blank, comma, bracket or control character.
bool is_listable(std::string_view host) noexcept;

// The names in their order, repeated ones included. Successive names that differ in one number share a bracket, and
// ascending numbers are a range. A number in a range has at least as many digits as the first one of the range. All
// names must be listable.
std::string compress(std::span<const std::string> hosts);

}  // namespace stressbench::host_list
