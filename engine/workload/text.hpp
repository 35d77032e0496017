// UTF-8 and what may stand in a workload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stressbench::workload {

// The first byte that no workload may hold, and why.
struct BadByte {
  std::size_t offset = 0;
  std::string why;
};
std::optional<BadByte> find_bad_byte(std::string_view text);

// Number of characters (code points).
std::size_t characters(std::string_view text) noexcept;
// At most so many bytes, whole characters, "..." where something was cut.
std::string shortened(std::string_view text, std::size_t bytes);
// Safe to print on a terminal: what is neither printable nor a tab becomes '?'.
std::string printable(std::string_view text);

}  // namespace stressbench::workload
